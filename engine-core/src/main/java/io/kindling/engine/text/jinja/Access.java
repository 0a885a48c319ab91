package io.kindling.engine.text.jinja;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Attributes, elements and slices. */
final class Access {
    private Access() {}

    /** {@code value.name}: Python's own attributes go before the keys of a dict. */
    static Object attribute(Object value, String name) {
        if (value instanceof Undefined undefined) {
            if (name.startsWith("__")) {
                return Undefined.attribute(value, name);
            }
            throw undefined.error();
        }
        if (value instanceof Namespace namespace) {
            return namespace.attributes().containsKey(name)
                    ? namespace.attributes().get(name)
                    : new Undefined("'jinja2.utils.Namespace object' has no attribute '" + name + "'");
        }
        if (value instanceof Loop loop) {
            return loop.attribute(name);
        }
        if (value instanceof Cycler cycler) {
            return cycler.attribute(name);
        }
        if (value instanceof Tuple tuple && tuple.has(name)) {
            return tuple.named(name);
        }
        Object method = Methods.of(value, name);
        if (method != null) {
            return method;
        }
        if (value instanceof Map<?, ?> map && map.containsKey(name)) {
            return map.get(name);
        }
        return Undefined.attribute(value, name);
    }

    /** {@code value[key]}: the keys of a dict go before Python's own attributes. */
    static Object element(Object value, Object key) {
        if (value instanceof Undefined undefined) {
            throw undefined.error();
        }
        if (value instanceof Map<?, ?> map) {
            boolean hashable = key instanceof Tuple || !(key instanceof List || key instanceof Map);
            if (hashable && map.containsKey(Values.key(key))) {
                return map.get(Values.key(key));
            }
        } else if (Integers.isInteger(key)) {
            Object found = at(value, Integers.clamped(key));
            return found instanceof Undefined ? Undefined.attribute(value, key) : found;
        }
        if (Values.isText(key) && !(value instanceof Map<?, ?>)) {
            return attribute(value, Values.text(key));
        }
        Object method = Values.isText(key) ? Methods.of(value, Values.text(key)) : null;
        return method != null ? method : Undefined.attribute(value, key);
    }

    private static Object at(Object value, long index) {
        if (value instanceof List<?> items) {
            long place = index < 0 ? index + items.size() : index;
            if (place >= 0 && place < items.size()) {
                return items.get((int) place);
            }
        } else if (Values.isText(value)) {
            String text = Values.text(value);
            long length = Values.length(text);
            long place = index < 0 ? index + length : index;
            if (place >= 0 && place < length) {
                String found = Character.toString(text.codePointAt(text.offsetByCodePoints(0, (int) place)));
                return value instanceof Markup ? new Markup(found) : found;
            }
        } else if (value instanceof Range range) {
            long place = index < 0 ? index + range.size() : index;
            if (place >= 0 && place < range.size()) {
                return range.get((int) place);
            }
        }
        return Undefined.attribute(value, index);
    }

    /** {@code value[start:stop:step]}; absent parts are null. */
    static Object slice(Object value, Object start, Object stop, Object step) {
        if (value instanceof Undefined undefined) {
            throw undefined.error();
        }
        // Unlike elements, slices of what has none are errors.
        if (!(value instanceof List) && !(value instanceof Range) && !Values.isText(value)) {
            throw new TemplateError("'" + Values.typeName(value) + "' object is not subscriptable");
        }
        long stride = step == null ? 1 : Math.max(-Integer.MAX_VALUE, Math.min(Integer.MAX_VALUE, index(step)));
        if (stride == 0) {
            throw new TemplateError("slice step cannot be zero");
        }
        int size = (int) Values.length(value);
        long from = start == null ? stride > 0 ? 0 : size - 1 : bound(index(start), size, stride);
        long to = stop == null ? stride > 0 ? size : -1 : bound(index(stop), size, stride);
        if (value instanceof Range range) {
            return range.slice(from, to, stride);
        }
        if (Values.isText(value)) {
            String text = slice(Values.text(value), size, from, to, stride);
            return value instanceof Markup ? new Markup(text) : text;
        }
        List<?> items = (List<?>) value;
        List<Object> taken = new ArrayList<>();
        for (long k = from; stride > 0 ? k < to : k > to; k += stride) {
            taken.add(items.get((int) k));
        }
        return value instanceof Tuple ? new Tuple(taken) : taken;
    }

    private static String slice(String text, int size, long from, long to, long stride) {
        if (stride == 1 && size == text.length()) {
            return text.substring((int) Math.min(from, to), (int) to);
        }
        int[] characters = text.codePoints().toArray();
        StringBuilder taken = new StringBuilder();
        for (long k = from; stride > 0 ? k < to : k > to; k += stride) {
            taken.appendCodePoint(characters[(int) k]);
        }
        return taken.toString();
    }

    private static long index(Object value) {
        if (!Integers.isInteger(value)) {
            throw new TemplateError("slice indices must be integers or None or have an __index__ method");
        }
        return Math.max(-Long.MAX_VALUE / 2, Math.min(Long.MAX_VALUE / 2, Integers.clamped(value)));
    }

    private static long bound(long index, int size, long stride) {
        long place = index < 0 ? index + size : index;
        return stride > 0 ? Math.max(0, Math.min(size, place)) : Math.max(-1, Math.min(size - 1, place));
    }
}
