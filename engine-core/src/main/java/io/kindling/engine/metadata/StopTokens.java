package io.kindling.engine.metadata;

import io.kindling.engine.text.AddedTokens;
import io.kindling.engine.text.ChatTemplates;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** End tokens, from all files that tell of them. */
final class StopTokens {
    private StopTokens() {}

    /** Union of the end tokens of genai_config, generation_config, config and the tokenizer's configuration. */
    static Set<Integer> ids(PackageFiles files, ChatTemplates templates, List<String> warnings) {
        Set<Integer> ids = new LinkedHashSet<>();
        files.genaiConfig().ifPresent(file -> ids.addAll(file.ids("model.eos_token_id")));
        files.generationConfig().ifPresent(file -> ids.addAll(file.ids("eos_token_id")));
        files.config().ifPresent(file -> {
            ids.addAll(file.ids("eos_token_id"));
            ids.addAll(file.ids("text_config.eos_token_id"));
        });
        Optional<String> text = templates.specialToken("eos_token");
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
}
