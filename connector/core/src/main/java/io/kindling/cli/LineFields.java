package io.kindling.cli;

import com.fasterxml.jackson.databind.JsonNode;
import io.kindling.engine.Message;
import io.kindling.engine.error.OptionException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Typed fields of JSON lines; what has another type is refused by name. */
final class LineFields {
    private LineFields() {}

    static String text(JsonNode line, String field) {
        JsonNode node = line.path(field);
        if (!node.isTextual()) {
            throw new OptionException("'" + field + "' must be a string, not " + found(node));
        }
        return node.textValue();
    }

    static boolean flag(JsonNode line, String field, boolean absent) {
        JsonNode node = line.path(field);
        if (node.isMissingNode() || node.isNull()) {
            return absent;
        }
        if (!node.isBoolean()) {
            throw new OptionException("'" + field + "' must be true or false, not " + node);
        }
        return node.booleanValue();
    }

    /** Token ids; none where there is no array. */
    static List<Integer> ids(JsonNode node, String field) {
        List<Integer> ids = new ArrayList<>();
        if (node == null || node.isNull()) {
            return ids;
        }
        if (!node.isArray()) {
            throw new OptionException("'" + field + "' must be an array of token ids, not " + node);
        }
        for (JsonNode id : node) {
            if (!id.isIntegralNumber() || !id.canConvertToInt() || id.intValue() < 0) {
                throw new OptionException("'" + field + "' must hold token ids, not " + id);
            }
            ids.add(id.intValue());
        }
        return ids;
    }

    static List<Message> messages(JsonNode array) {
        return objects(array, "messages").stream().map(Message::new).toList();
    }

    /** Objects of an array as Java values. */
    static List<Map<String, Object>> objects(JsonNode array, String field) {
        if (!array.isArray()) {
            throw new OptionException("'" + field + "' must be an array, not " + found(array));
        }
        List<Map<String, Object>> objects = new ArrayList<>();
        for (JsonNode item : array) {
            if (!item.isObject()) {
                throw new OptionException("'" + field + "' must hold objects, not " + item);
            }
            objects.add(object(item, field));
        }
        return objects;
    }

    /** An object as Java values; empty where there is none. */
    @SuppressWarnings("unchecked") // keys of a JSON object are strings
    static Map<String, Object> object(JsonNode node, String what) {
        if (node == null || node.isNull() || node.isMissingNode()) {
            return Map.of();
        }
        if (!node.isObject()) {
            throw new OptionException(what + " must be an object, not " + node);
        }
        return (Map<String, Object>) JsonLines.plain(node);
    }

    private static String found(JsonNode node) {
        return node.isMissingNode() ? "absent" : node.toString();
    }
}
