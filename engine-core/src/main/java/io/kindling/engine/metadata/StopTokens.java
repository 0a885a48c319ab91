package io.kindling.engine.metadata;

import com.fasterxml.jackson.databind.JsonNode;
import io.kindling.engine.text.AddedTokens;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Begin and end tokens, from all files that tell of them. */
final class StopTokens {
    private StopTokens() {}

    /** Union of the end tokens of genai_config, generation_config, config and the tokenizer's configuration. */
    static Set<Integer> ids(PackageFiles files, List<String> warnings) {
        Set<Integer> ids = new LinkedHashSet<>();
        files.genaiConfig().ifPresent(file -> ids.addAll(file.ids("model.eos_token_id")));
        files.generationConfig().ifPresent(file -> ids.addAll(file.ids("eos_token_id")));
        files.config().ifPresent(file -> {
            ids.addAll(file.ids("eos_token_id"));
            ids.addAll(file.ids("text_config.eos_token_id"));
        });
        Optional<String> text = text(files, "eos_token");
        if (text.isPresent() && files.tokenizerFile().isPresent()) {
            Map<String, Integer> added = AddedTokens.read(files.tokenizerFile().get());
            Integer id = added.get(text.get());
            if (id == null) {
                warnings.add("the end token '" + text.get()
                        + "' is no added token of tokenizer.json and does not stop answers");
            } else {
                ids.add(id);
            }
        }
        return ids;
    }

    /** The text of a special token: a string or an object with {@code content}. */
    static Optional<String> text(PackageFiles files, String field) {
        Optional<String> configured = files.tokenizerConfig().flatMap(file -> text(file, field));
        return configured.isPresent() ? configured : files.specialTokens().flatMap(file -> text(file, field));
    }

    private static Optional<String> text(MetadataFile file, String field) {
        JsonNode node = file.at(field);
        if (node.isObject()) {
            return file.text(field + ".content");
        }
        return file.text(field);
    }
}
