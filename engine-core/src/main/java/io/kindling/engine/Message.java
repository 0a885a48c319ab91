package io.kindling.engine;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One chat message as templates see it: {@code role}, {@code content} (a text, or a list of parts such as
 * {@code {"type": "text", "text": …}}) and whatever else a template reads ({@code tool_calls}, {@code tool_call_id},
 * {@code name}, {@code reasoning_content}, …), in its order. Values are strings, numbers, booleans, lists and maps.
 */
public record Message(Map<String, Object> fields) {
    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    public Message {
        fields = Collections.unmodifiableMap(new LinkedHashMap<>(fields));
    }

    public static Message of(String role, String content) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("role", role);
        fields.put("content", content);
        return new Message(fields);
    }

    /**
     * A conversation from a JSON array of objects.
     *
     * @throws KindlingException TEMPLATE when the text is something else
     */
    public static List<Message> parse(String json) {
        try {
            List<Map<String, Object>> messages = JSON.readValue(json, new TypeReference<>() {});
            if (messages != null && messages.stream().allMatch(java.util.Objects::nonNull)) {
                return messages.stream().map(Message::new).toList();
            }
        } catch (JsonProcessingException malformed) {
            throw new KindlingException(
                    ErrorCode.TEMPLATE,
                    "messages must be a JSON array of objects: " + malformed.getOriginalMessage(),
                    malformed);
        }
        throw new KindlingException(ErrorCode.TEMPLATE, "messages must be a JSON array of objects, without null");
    }

    /** Whether it tells the model how to behave, as the first message of a conversation may. */
    boolean isInstruction() {
        Object role = fields.get("role");
        return "system".equals(role) || "developer".equals(role);
    }
}
