package io.kindling.engine;

import java.util.Map;

/**
 * One chat message as templates see it: {@code role}, {@code content} and whatever else a template reads
 * ({@code tool_calls}, {@code name}, …). Values are strings, numbers, booleans, lists and maps.
 */
public record Message(Map<String, Object> fields) {
    public Message {
        fields = java.util.Collections.unmodifiableMap(new java.util.LinkedHashMap<>(fields));
    }

    public static Message of(String role, String content) {
        Map<String, Object> fields = new java.util.LinkedHashMap<>();
        fields.put("role", role);
        fields.put("content", content);
        return new Message(fields);
    }
}
