package io.kindling.engine.text.jinja;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Python's {@code json.dumps}, which transformers' {@code tojson} is. */
final class Json {
    private final boolean ascii;
    private final String indent;
    private final String itemSeparator;
    private final String keySeparator;
    private final boolean sorted;
    private final TextBuffer out = new TextBuffer();

    private Json(boolean ascii, String indent, String itemSeparator, String keySeparator, boolean sorted) {
        this.ascii = ascii;
        this.indent = indent;
        this.itemSeparator = itemSeparator;
        this.keySeparator = keySeparator;
        this.sorted = sorted;
    }

    /** The filter: {@code tojson(ensure_ascii=False, indent=None, separators=None, sort_keys=False)}. */
    static String write(Object value, Arguments arguments) {
        arguments.expect("ensure_ascii", "indent", "separators", "sort_keys");
        Object indent = arguments.get(1, "indent", null);
        String step = indent == null
                ? null
                : indent instanceof String text
                        ? text
                        : " ".repeat(Limits.size(Math.max(0, Values.smallInteger(indent))));
        String item = step == null ? ", " : ",";
        String key = ": ";
        if (arguments.get(2, "separators", null) instanceof List<?> pair) {
            if (pair.size() != 2) {
                throw new TemplateError("separators must be a pair");
            }
            item = Values.text(pair.get(0));
            key = Values.text(pair.get(1));
        }
        Json json = new Json(
                arguments.flag(0, "ensure_ascii", false), step, item, key, arguments.flag(3, "sort_keys", false));
        json.value(value, 0);
        return json.out.toString();
    }

    private void value(Object value, int depth) {
        if (depth > Limits.DEEPEST) {
            throw new TemplateError("the data are nested too deep for JSON");
        }
        if (value == null) {
            out.append("null");
        } else if (Values.isText(value)) {
            text(Values.text(value));
        } else if (value instanceof Boolean flag) {
            out.append(flag ? "true" : "false");
        } else if (value instanceof Double number) {
            out.append(number(number));
        } else if (value instanceof Number) {
            out.append(value.toString());
        } else if (value instanceof List<?> items) {
            items(items, depth);
        } else if (value instanceof Map<?, ?> map) {
            members(map, depth);
        } else {
            throw new TemplateError("Object of type " + Values.typeName(value) + " is not JSON serializable");
        }
    }

    private static String number(double value) {
        return Double.isNaN(value)
                ? "NaN"
                : Double.isInfinite(value) ? value > 0 ? "Infinity" : "-Infinity" : Repr.number(value);
    }

    private void items(List<?> items, int depth) {
        if (items.isEmpty()) {
            out.append("[]");
            return;
        }
        out.append("[");
        String separator = "";
        for (Object item : items) {
            out.append(separator);
            line(depth + 1);
            value(item, depth + 1);
            separator = itemSeparator;
        }
        line(depth);
        out.append("]");
    }

    private void members(Map<?, ?> map, int depth) {
        if (map.isEmpty()) {
            out.append("{}");
            return;
        }
        Map<?, ?> ordered = map;
        if (sorted) {
            Map<Object, Object> byKey = new TreeMap<>((a, b) -> key(a).compareTo(key(b)));
            byKey.putAll(map);
            ordered = byKey;
        }
        out.append("{");
        String separator = "";
        for (Map.Entry<?, ?> member : ordered.entrySet()) {
            out.append(separator);
            line(depth + 1);
            text(key(member.getKey()));
            out.append(keySeparator);
            value(member.getValue(), depth + 1);
            separator = itemSeparator;
        }
        line(depth);
        out.append("}");
    }

    private static String key(Object key) {
        if (Values.isText(key)) {
            return Values.text(key);
        }
        if (key == null) {
            return "null";
        }
        if (key instanceof Boolean flag) {
            return flag ? "true" : "false";
        }
        if (key instanceof Double number) {
            return number(number);
        }
        if (key instanceof Number) {
            return key.toString();
        }
        throw new TemplateError("keys must be str, int, float, bool or None, not " + Values.typeName(key));
    }

    private void line(int depth) {
        if (indent != null) {
            out.append("\n").append(indent.repeat(depth));
        }
    }

    private void text(String text) {
        StringBuilder quoted = new StringBuilder(text.length() + 2).append('"');
        for (int k = 0; k < text.length(); k++) {
            char c = text.charAt(k);
            switch (c) {
                case '"' -> quoted.append("\\\"");
                case '\\' -> quoted.append("\\\\");
                case '\n' -> quoted.append("\\n");
                case '\r' -> quoted.append("\\r");
                case '\t' -> quoted.append("\\t");
                case '\b' -> quoted.append("\\b");
                case '\f' -> quoted.append("\\f");
                default -> {
                    if (c < ' ' || ascii && c > '~') {
                        quoted.append(String.format("\\u%04x", (int) c));
                    } else {
                        quoted.append(c);
                    }
                }
            }
        }
        out.append(quoted.append('"').toString());
    }
}
