package io.kindling.engine.text;

import io.kindling.engine.Message;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Messages as transformers hands them to templates: fields that are null are left out, and reasoning has all the names that
 * templates read it by.
 */
final class TemplateMessages {
    /** The first is the standard one; the first that a message has counts. */
    static final List<String> REASONING = List.of("reasoning_content", "thinking", "reasoning");

    private TemplateMessages() {}

    /** Copies, to be changed at will. */
    static List<Map<String, Object>> of(List<Message> messages) {
        List<Map<String, Object>> copies = new ArrayList<>(messages.size());
        for (Message message : messages) {
            Map<String, Object> fields = new LinkedHashMap<>();
            message.fields().forEach((name, value) -> {
                if (value != null) {
                    fields.put(name, value);
                }
            });
            copies.add(withReasoning(fields));
        }
        return copies;
    }

    private static Map<String, Object> withReasoning(Map<String, Object> fields) {
        Object reasoning = REASONING.stream()
                .map(fields::get)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
        if (reasoning == null) {
            return fields;
        }
        Map<String, Object> named = new LinkedHashMap<>();
        named.put("thinking", reasoning);
        named.putAll(fields);
        named.put("reasoning_content", reasoning);
        return named;
    }
}
