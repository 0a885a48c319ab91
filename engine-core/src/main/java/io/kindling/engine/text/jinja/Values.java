package io.kindling.engine.text.jinja;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Template values with Python's meanings. None is null; int is Long, float Double, dict a LinkedHashMap, list an ArrayList;
 * further {@link Tuple}, {@link Markup}, {@link Items}, {@link Namespace}, {@link Undefined} and {@link Callable}.
 */
final class Values {
    private Values() {}

    /** Java data as template data, copied through and through. */
    static Object of(Object value) {
        return of(value, 0);
    }

    private static Object of(Object value, int depth) {
        if (depth > Limits.DEEPEST) {
            throw new TemplateError("the data are nested too deep");
        }
        if (value instanceof Map<?, ?> map) {
            Map<Object, Object> copy = new LinkedHashMap<>();
            map.forEach((key, item) -> copy.put(key(of(key, depth + 1)), of(item, depth + 1)));
            return copy;
        }
        if (value instanceof Collection<?> items) {
            List<Object> copy = new ArrayList<>(items.size());
            items.forEach(item -> copy.add(of(item, depth + 1)));
            return copy;
        }
        if (value instanceof Object[] items) {
            return of(Arrays.asList(items), depth);
        }
        if (value instanceof Integer || value instanceof Short || value instanceof Byte) {
            return ((Number) value).longValue();
        }
        if (value instanceof Float || value instanceof BigDecimal) {
            return ((Number) value).doubleValue();
        }
        if (value instanceof CharSequence || value instanceof Character || value instanceof Enum<?>) {
            return value.toString();
        }
        if (value instanceof BigInteger number) {
            return Integers.of(number);
        }
        boolean known = value == null
                || value instanceof Boolean
                || value instanceof Long
                || value instanceof Double
                || value instanceof Callable
                || value instanceof Undefined;
        if (!known) {
            throw new TemplateError("templates cannot read values of " + value.getClass());
        }
        return value;
    }

    static boolean isTrue(Object value) {
        if (value instanceof Boolean flag) {
            return flag;
        }
        if (value instanceof String text) {
            return !text.isEmpty();
        }
        if (value instanceof Markup markup) {
            return !markup.text().isEmpty();
        }
        if (value instanceof Number number) {
            return number.doubleValue() != 0;
        }
        if (value instanceof Collection<?> items) {
            return !items.isEmpty();
        }
        if (value instanceof Map<?, ?> map) {
            return !map.isEmpty();
        }
        if (value instanceof Items.Sized items) {
            return items.size() > 0;
        }
        return value != null && !(value instanceof Undefined);
    }

    static boolean isText(Object value) {
        return value instanceof String || value instanceof Markup;
    }

    /** Python's {@code str(value)}. */
    static String text(Object value) {
        if (value instanceof String text) {
            return text;
        }
        if (value instanceof Markup markup) {
            return markup.text();
        }
        return value instanceof Undefined ? "" : repr(value);
    }

    /** Python's {@code repr(value)}. */
    static String repr(Object value) {
        TextBuffer out = new TextBuffer();
        Repr.write(value, out, 0);
        return out.toString();
    }

    static String typeName(Object value) {
        if (value == null) {
            return "NoneType";
        }
        if (value instanceof String) {
            return "str";
        }
        if (value instanceof Boolean) {
            return "bool";
        }
        if (value instanceof Long || value instanceof BigInteger) {
            return "int";
        }
        if (value instanceof Double) {
            return "float";
        }
        if (value instanceof Map) {
            return "dict";
        }
        if (value instanceof Tuple) {
            return "tuple";
        }
        if (value instanceof List) {
            return "list";
        }
        if (value instanceof Items items) {
            return items.typeName();
        }
        return value instanceof Callable ? "function" : value.getClass().getSimpleName();
    }

    /** What a {@code for} loop runs over, item by item. */
    static Iterator<Object> iterator(Object value) {
        return value instanceof Items items ? items.iterator() : list(value).iterator();
    }

    /** All that a {@code for} loop would run over; not to be changed. */
    static List<Object> list(Object value) {
        if (value instanceof List<?> items) {
            return Collections.unmodifiableList(items);
        }
        if (value instanceof Items items) {
            List<Object> all = new ArrayList<>();
            items.iterator().forEachRemaining(all::add);
            return all;
        }
        if (value instanceof Map<?, ?> map) {
            return new ArrayList<>(map.keySet());
        }
        if (isText(value)) {
            List<Object> characters = new ArrayList<>();
            text(value).codePoints().forEach(c -> characters.add(Character.toString(c)));
            return characters;
        }
        if (value instanceof Undefined) {
            return List.of();
        }
        throw new TemplateError("'" + typeName(value) + "' object is not iterable");
    }

    static boolean isIterable(Object value) {
        return value instanceof List
                || value instanceof Items
                || value instanceof Map
                || value instanceof Undefined
                || isText(value);
    }

    /** Python's {@code len(value)}; text counts in code points. */
    static long length(Object value) {
        if (isText(value)) {
            String text = text(value);
            return text.codePointCount(0, text.length());
        }
        if (value instanceof Collection<?> items) {
            return items.size();
        }
        if (value instanceof Map<?, ?> map) {
            return map.size();
        }
        if (value instanceof Items.Sized items) {
            return items.size();
        }
        if (value instanceof Undefined) {
            return 0;
        }
        throw new TemplateError("object of type '" + typeName(value) + "' has no len()");
    }

    /** A value as a key: what is equal in Python must be equal here; what is not hashable is refused. */
    static Object key(Object value) {
        return key(value, 0);
    }

    private static Object key(Object value, int depth) {
        if (value instanceof Double number && number == Math.rint(number) && Math.abs(number) < 1L << 53) {
            return number.longValue();
        }
        if (value instanceof Markup markup) {
            return markup.text();
        }
        if (value instanceof Tuple items) {
            // Hashing goes through all of it, so that shared parts would be counted again and again.
            if (depth > Limits.DEEPEST_KEY) {
                throw new TemplateError("a key nested deeper than " + Limits.DEEPEST_KEY + " levels is refused");
            }
            items.forEach(item -> key(item, depth + 1));
            return items;
        }
        if (value instanceof Map || value instanceof List || value instanceof DictView) {
            throw new TemplateError("unhashable type: '" + typeName(value) + "'");
        }
        return value;
    }

    static long integer(Object value) {
        if (value instanceof Long number) {
            return number;
        }
        if (value instanceof Boolean flag) {
            return flag ? 1 : 0;
        }
        if (value instanceof BigInteger) {
            throw new TemplateError("Python int too large to convert to C ssize_t");
        }
        throw new TemplateError("an integer is required, not '" + typeName(value) + "'");
    }

    /** An integer that sizes something. */
    static int smallInteger(Object value) {
        long number = Integers.clamped(value);
        return (int) Math.max(Integer.MIN_VALUE, Math.min(Integer.MAX_VALUE, number));
    }
}
