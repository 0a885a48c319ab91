package io.kindling.engine.text;

import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import io.kindling.engine.text.jinja.Whitespace;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Cuts a rendered conversation where its last message ends, so that the model goes on with it: {@code continue_final_message}
 * of transformers. The end is found by a mark behind the message's text.
 *
 * @param field of the message that is continued
 */
record ContinuedMessage(String field) {
    private static final String MARK = "CONTINUE_FINAL_MESSAGE_TAG ";

    /**
     * @param template the template's text
     * @param messages changed: the last one gets the mark
     * @param rendering renders them
     */
    String render(String template, List<Map<String, Object>> messages, Supplier<String> rendering) {
        Map<String, Object> last = messages.get(messages.size() - 1);
        String continued = mark(template, last);
        String rendered = rendering.get();
        String mark = Whitespace.strip(MARK);
        int end = rendered.lastIndexOf(mark);
        if (end < 0 || !rendered.contains(Whitespace.strip(continued))) {
            throw refused("the template changes or leaves out the end of the last message, '" + continued + "'");
        }
        String before = rendered.substring(0, end);
        // A template that trims messages took the blank of the mark, and would have taken blanks at the text's own end.
        return rendered.startsWith(MARK, end) ? before : Whitespace.stripRight(before);
    }

    /** Puts the mark behind the text to continue, and returns the text. */
    private String mark(String template, Map<String, Object> message) {
        Object value = message.get(field);
        if (value == null) {
            throw refused("the last message has no '" + field + "'");
        }
        List<String> copies = TemplateMessages.REASONING.contains(field)
                ? TemplateMessages.REASONING.stream()
                        .filter(name -> value.equals(message.get(name)))
                        .toList()
                : List.of(field);
        if (copies.stream().noneMatch(template::contains)) {
            throw refused("the template does not read '" + field + "'");
        }
        if (value instanceof List<?> parts) {
            return markPart(parts, message);
        }
        if (!(value instanceof String text)) {
            throw refused("'" + field + "' of the last message is no text");
        }
        copies.forEach(name -> message.put(name, text + MARK));
        return text;
    }

    /** The last part that has a text is continued. */
    private String markPart(List<?> parts, Map<String, Object> message) {
        for (int i = parts.size() - 1; i >= 0; i--) {
            if (parts.get(i) instanceof Map<?, ?> part && part.get("text") instanceof String text) {
                Map<Object, Object> marked = new LinkedHashMap<>(part);
                marked.put("text", text + MARK);
                List<Object> changed = new ArrayList<>(parts);
                changed.set(i, marked);
                message.put(field, changed);
                return text;
            }
        }
        throw refused("no part of the last message has a text");
    }

    private static KindlingException refused(String why) {
        return new KindlingException(ErrorCode.TEMPLATE, "continue_final_message: " + why);
    }
}
