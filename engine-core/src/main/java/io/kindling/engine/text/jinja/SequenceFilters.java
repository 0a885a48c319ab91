package io.kindling.engine.text.jinja;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.UnaryOperator;

/** Filters over sequences and dicts. */
final class SequenceFilters {
    static final Map<String, Filter> ALL = new HashMap<>();

    static {
        Filter length = (context, value, arguments) -> Values.length(value);
        ALL.put("length", length);
        ALL.put("count", length);
        ALL.put("list", (context, value, arguments) -> new ArrayList<>(Values.iterate(value)));
        ALL.put("join", SequenceFilters::join);
        ALL.put("first", (context, value, arguments) -> {
            List<Object> items = Values.iterate(value);
            return items.isEmpty() ? new Undefined("No first item, sequence was empty.") : items.get(0);
        });
        ALL.put("last", (context, value, arguments) -> {
            List<Object> items = Values.iterate(value);
            return items.isEmpty() ? new Undefined("No last item, sequence was empty.") : items.get(items.size() - 1);
        });
        ALL.put("reverse", (context, value, arguments) -> {
            List<Object> items = new ArrayList<>(Values.iterate(value));
            Collections.reverse(items);
            return Values.isText(value) ? String.join("", items.toArray(String[]::new)) : new Generator(items);
        });
        ALL.put("items", (context, value, arguments) -> {
            if (value instanceof Map<?, ?> map) {
                return new Generator(Methods.items(map));
            }
            if (value instanceof Undefined) {
                return new Generator(List.of());
            }
            throw new TemplateError("Can only get item pairs from a mapping.");
        });
        ALL.put("dictsort", SequenceFilters::dictSort);
        ALL.put("sort", (context, value, arguments) -> {
            List<Object> items = new ArrayList<>(Values.iterate(value));
            Comparator<Object> order =
                    order(context, attribute(arguments, 2), arguments.flag(1, "case_sensitive", false));
            items.sort(arguments.flag(0, "reverse", false) ? order.reversed() : order);
            return items;
        });
        ALL.put("unique", SequenceFilters::unique);
        ALL.put("min", (context, value, arguments) -> extreme(context, value, arguments, -1));
        ALL.put("max", (context, value, arguments) -> extreme(context, value, arguments, 1));
        ALL.put("sum", (context, value, arguments) -> {
            UnaryOperator<Object> attribute = attribute(arguments, 0);
            Object sum = arguments.get(1, "start", 0L);
            for (Object item : Values.iterate(value)) {
                sum = Operators.binary("+", sum, attribute.apply(item));
            }
            return sum;
        });
        ALL.put("map", SequenceFilters::map);
        ALL.put(
                "attr",
                (context, value, arguments) -> Access.attribute(value, Values.text(arguments.require(0, "name"))));
        ALL.put("select", (context, value, arguments) -> filter(context, value, arguments, false, true));
        ALL.put("reject", (context, value, arguments) -> filter(context, value, arguments, false, false));
        ALL.put("selectattr", (context, value, arguments) -> filter(context, value, arguments, true, true));
        ALL.put("rejectattr", (context, value, arguments) -> filter(context, value, arguments, true, false));
        ALL.put("batch", SequenceFilters::batch);
        ALL.put("groupby", SequenceFilters::groupBy);
    }

    private SequenceFilters() {}

    /** Reads an attribute by a path such as {@code function.name}; without one, the item itself. */
    private static UnaryOperator<Object> attribute(Arguments arguments, int index) {
        return path(arguments.get(index, "attribute", null), null);
    }

    private static UnaryOperator<Object> path(Object attribute, Object absent) {
        if (attribute == null) {
            return UnaryOperator.identity();
        }
        List<Object> parts = new ArrayList<>();
        if (Values.isText(attribute)) {
            for (String part : Values.text(attribute).split("\\.", -1)) {
                boolean index =
                        !part.isEmpty() && part.length() < 10 && part.chars().allMatch(Character::isDigit);
                parts.add(index ? (Object) Long.parseLong(part) : part);
            }
        } else {
            parts.add(attribute);
        }
        return item -> {
            Object value = item;
            for (Object part : parts) {
                value = Access.element(value, part);
                value = absent != null && value instanceof Undefined ? absent : value;
            }
            return value;
        };
    }

    private static Object folded(Object value, boolean caseSensitive) {
        return Values.isText(value) && !caseSensitive ? Values.text(value).toLowerCase(Locale.ROOT) : value;
    }

    private static Comparator<Object> order(Context context, UnaryOperator<Object> attribute, boolean caseSensitive) {
        return (a, b) -> Operators.compare(
                context, folded(attribute.apply(a), caseSensitive), folded(attribute.apply(b), caseSensitive));
    }

    private static Object join(Context context, Object value, Arguments arguments) {
        String separator = Values.text(arguments.get(0, "d", ""));
        UnaryOperator<Object> attribute = attribute(arguments, 1);
        TextBuffer joined = new TextBuffer();
        String between = "";
        for (Object item : Values.iterate(value)) {
            context.step();
            joined.append(between).append(Values.text(attribute.apply(item)));
            between = separator;
        }
        return joined.toString();
    }

    private static Object dictSort(Context context, Object value, Arguments arguments) {
        if (!(value instanceof Map<?, ?> map)) {
            throw new TemplateError("'" + Values.typeName(value) + "' object has no items to sort");
        }
        String by = Values.text(arguments.get(1, "by", "key"));
        if (!by.equals("key") && !by.equals("value")) {
            throw new TemplateError("You can only sort by either \"key\" or \"value\"");
        }
        int part = by.equals("key") ? 0 : 1;
        List<Object> items = Methods.items(map);
        Comparator<Object> order =
                order(context, item -> ((Tuple) item).get(part), arguments.flag(0, "case_sensitive", false));
        items.sort(arguments.flag(2, "reverse", false) ? order.reversed() : order);
        return items;
    }

    private static Object unique(Context context, Object value, Arguments arguments) {
        boolean caseSensitive = arguments.flag(0, "case_sensitive", false);
        UnaryOperator<Object> attribute = attribute(arguments, 1);
        Map<Object, Object> firsts = new LinkedHashMap<>();
        for (Object item : Values.iterate(value)) {
            firsts.putIfAbsent(Values.key(folded(attribute.apply(item), caseSensitive)), item);
        }
        return new Generator(new ArrayList<>(firsts.values()));
    }

    private static Object extreme(Context context, Object value, Arguments arguments, int sign) {
        List<Object> items = Values.iterate(value);
        if (items.isEmpty()) {
            return new Undefined("No aggregated item, sequence was empty.");
        }
        Comparator<Object> order = order(context, attribute(arguments, 1), arguments.flag(0, "case_sensitive", false));
        Object best = items.get(0);
        for (Object item : items) {
            best = sign * order.compare(item, best) > 0 ? item : best;
        }
        return best;
    }

    /** What lazy filters run over: nothing when the value is false, whatever it is. */
    private static List<Object> lazily(Object value) {
        return Values.isTrue(value) ? Values.iterate(value) : List.of();
    }

    private static Object map(Context context, Object value, Arguments arguments) {
        List<Object> mapped = new ArrayList<>();
        if (arguments.positional().isEmpty() && arguments.named().containsKey("attribute")) {
            UnaryOperator<Object> attribute =
                    path(arguments.named().get("attribute"), arguments.named().get("default"));
            lazily(value).forEach(item -> mapped.add(attribute.apply(item)));
            return new Generator(mapped);
        }
        Filter filter = Filters.get(Values.text(arguments.require(0, "filter")));
        for (Object item : lazily(value)) {
            context.step();
            mapped.add(filter.apply(context, item, arguments.skip(1)));
        }
        return new Generator(mapped);
    }

    private static Object filter(
            Context context, Object value, Arguments arguments, boolean byAttribute, boolean keeps) {
        UnaryOperator<Object> attribute =
                byAttribute ? path(arguments.require(0, "attribute"), null) : UnaryOperator.identity();
        Arguments rest = arguments.skip(byAttribute ? 1 : 0);
        Test test = rest.positional().isEmpty()
                ? (c, item, none) -> Values.isTrue(item)
                : Tests.get(Values.text(rest.positional().get(0)));
        List<Object> kept = new ArrayList<>();
        for (Object item : lazily(value)) {
            context.step();
            if (test.test(context, attribute.apply(item), rest.skip(1)) == keeps) {
                kept.add(item);
            }
        }
        return new Generator(kept);
    }

    private static Object batch(Context context, Object value, Arguments arguments) {
        int size = Math.max(1, Values.smallInteger(arguments.require(0, "linecount")));
        Object fill = arguments.get(1, "fill_with", null);
        List<Object> items = Values.iterate(value);
        List<Object> batches = new ArrayList<>();
        for (int from = 0; from < items.size(); from += size) {
            List<Object> batch = new ArrayList<>(items.subList(from, Math.min(items.size(), from + size)));
            while (fill != null && batch.size() < Limits.size(size)) {
                batch.add(fill);
            }
            batches.add(batch);
        }
        return new Generator(batches);
    }

    private static Object groupBy(Context context, Object value, Arguments arguments) {
        UnaryOperator<Object> attribute = path(arguments.require(0, "attribute"), arguments.get(1, "default", null));
        boolean caseSensitive = arguments.flag(2, "case_sensitive", false);
        List<Object> items = new ArrayList<>(Values.iterate(value));
        items.sort(order(context, attribute, caseSensitive));
        List<Object> groups = new ArrayList<>();
        List<Object> members = new ArrayList<>();
        for (int k = 0; k < items.size(); k++) {
            members.add(items.get(k));
            Object key = folded(attribute.apply(items.get(k)), caseSensitive);
            if (k + 1 == items.size()
                    || !Operators.equal(context, key, folded(attribute.apply(items.get(k + 1)), caseSensitive))) {
                groups.add(Tuple.of(attribute.apply(members.get(0)), members));
                members = new ArrayList<>();
            }
        }
        return groups;
    }
}
