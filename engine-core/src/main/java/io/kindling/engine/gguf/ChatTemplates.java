package io.kindling.engine.gguf;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * The chat templates of a file: {@code tokenizer.chat_template}, the default one, and {@code tokenizer.chat_template.NAME}.
 * A single default one becomes {@code chat_template.jinja}; several become the list of named ones of
 * {@code tokenizer_config.json}, which is how transformers writes them.
 */
record ChatTemplates(Map<String, String> byName) {
    private static final String KEY = "tokenizer.chat_template";
    private static final String DEFAULT = "default";

    ChatTemplates {
        byName = Collections.unmodifiableMap(new TreeMap<>(byName));
    }

    static ChatTemplates of(GgufFile file) {
        Map<String, String> templates = new TreeMap<>();
        for (String key : file.metadata().keySet()) {
            if (key.startsWith(KEY + ".")) {
                templates.put(key.substring(KEY.length() + 1), file.require(key, String.class));
            }
        }
        file.find(KEY, String.class).ifPresent(template -> templates.put(DEFAULT, template));
        return new ChatTemplates(templates);
    }

    private boolean isOnlyDefault() {
        return byName.keySet().equals(Collections.singleton(DEFAULT));
    }

    /** Adds the named templates to {@code tokenizer_config.json}. */
    void describe(ObjectNode settings) {
        if (byName.isEmpty() || isOnlyDefault()) {
            return;
        }
        ArrayNode list = settings.putArray("chat_template");
        byName.forEach((name, template) -> list.addObject().put("name", name).put("template", template));
    }

    void write(Path folder) throws IOException {
        if (isOnlyDefault()) {
            Files.writeString(folder.resolve("chat_template.jinja"), byName.get(DEFAULT));
        }
    }
}
