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
        } else if (key instanceof Long || key instanceof Boolean) {
            Object found = at(value, Values.integer(key));
            return found instanceof Undefined ? Undefined.attribute(value, key) : found;
        }
        if (key instanceof String name && !(value instanceof Map<?, ?>)) {
            return attribute(value, name);
        }
        Object method = key instanceof String name ? Methods.of(value, name) : null;
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
                return Character.toString(text.codePointAt(text.offsetByCodePoints(0, (int) place)));
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
        if (!(value instanceof List) && !Values.isText(value)) {
            throw new TemplateError("'" + Values.typeName(value) + "' object is not subscriptable");
        }
        long stride = step == null ? 1 : Values.integer(step);
        if (stride == 0) {
            throw new TemplateError("slice step cannot be zero");
        }
        List<Object> items = Values.iterate(value);
        int size = items.size();
        long from = start == null ? stride > 0 ? 0 : size - 1 : bound(Values.integer(start), size, stride);
        long to = stop == null ? stride > 0 ? size : -1 : bound(Values.integer(stop), size, stride);
        List<Object> taken = new ArrayList<>();
        for (long k = from; stride > 0 ? k < to : k > to; k += stride) {
            taken.add(items.get((int) k));
            if (Math.abs(stride) > size) {
                break;
            }
        }
        if (Values.isText(value)) {
            StringBuilder text = new StringBuilder();
            taken.forEach(character -> text.append((String) character));
            return text.toString();
        }
        return value instanceof Tuple ? new Tuple(taken) : taken;
    }

    private static long bound(long index, int size, long stride) {
        long place = index < 0 ? index + size : index;
        return stride > 0 ? Math.max(0, Math.min(size, place)) : Math.max(-1, Math.min(size - 1, place));
    }
}
