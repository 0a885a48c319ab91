package io.kindling.engine.text.jinja;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;

/** Filters over sequences and dicts. */
final class SequenceFilters {
    static final Map<String, Filter> ALL = new HashMap<>();

    static {
        Filter length = (context, value, arguments) -> Values.length(value);
        ALL.put("length", length);
        ALL.put("count", length);
        ALL.put("list", (context, value, arguments) -> new ArrayList<>(Values.list(value)));
        ALL.put("join", SequenceFilters::join);
        ALL.put("first", (context, value, arguments) -> {
            Iterator<Object> items = Values.iterator(value);
            return items.hasNext() ? items.next() : new Undefined("No first item, sequence was empty.");
        });
        ALL.put("last", (context, value, arguments) -> {
            if (value instanceof Generator generator) {
                throw new TemplateError("'" + generator.typeName() + "' object is not reversible");
            }
            List<Object> items = Values.list(value);
            return items.isEmpty() ? new Undefined("No last item, sequence was empty.") : items.get(items.size() - 1);
        });
        ALL.put("reverse", (context, value, arguments) -> {
            if (Values.isText(value)) {
                return Access.slice(value, null, null, -1L);
            }
            List<Object> items = new ArrayList<>(Values.list(value));
            Collections.reverse(items);
            return value instanceof Generator ? items : new Generator("list_reverseiterator", items::iterator);
        });
        ALL.put(
                "items",
                (context, value, arguments) -> new Generator(() -> {
                    if (value instanceof Undefined) {
                        return Collections.emptyIterator();
                    }
                    if (value instanceof Map<?, ?> map) {
                        return new DictView(DictView.Kind.ITEMS, map).iterator();
                    }
                    throw new TemplateError("Can only get item pairs from a mapping.");
                }));
        ALL.put("dictsort", SequenceFilters::dictSort);
        ALL.put("sort", (context, value, arguments) -> {
            List<Object> items = new ArrayList<>(Values.list(value));
            return sorted(
                    items,
                    context,
                    attributes(arguments),
                    arguments.flag(1, "case_sensitive", false),
                    arguments.flag(0, "reverse", false));
        });
        ALL.put("unique", SequenceFilters::unique);
        ALL.put("min", (context, value, arguments) -> extreme(context, value, arguments, -1));
        ALL.put("max", (context, value, arguments) -> extreme(context, value, arguments, 1));
        ALL.put("sum", (context, value, arguments) -> {
            UnaryOperator<Object> attribute = attribute(arguments, 0);
            Object sum = arguments.get(1, "start", 0L);
            if (Values.isText(sum)) {
                throw new TemplateError("sum() can't sum strings [use ''.join(seq) instead]");
            }
            for (Object item : Values.list(value)) {
                sum = Operators.binary("+", sum, attribute.apply(item));
            }
            return sum;
        });
        ALL.put("map", SequenceFilters::map);
        ALL.put("attr", (context, value, arguments) -> {
            String name = Values.text(arguments.require(0, "name"));
            boolean key = value instanceof Map && Methods.of(value, name) == null;
            return key ? Undefined.attribute(value, name) : Access.attribute(value, name);
        });
        ALL.put("select", (context, value, arguments) -> filter(context, value, arguments, false, true));
        ALL.put("reject", (context, value, arguments) -> filter(context, value, arguments, false, false));
        ALL.put("selectattr", (context, value, arguments) -> filter(context, value, arguments, true, true));
        ALL.put("rejectattr", (context, value, arguments) -> filter(context, value, arguments, true, false));
        ALL.put("batch", SequenceFilters::batch);
        ALL.put("slice", SequenceFilters::slice);
        ALL.put("groupby", SequenceFilters::groupBy);
        Map<String, String> signatures = Map.ofEntries(
                Map.entry("length", ""),
                Map.entry("count", ""),
                Map.entry("list", ""),
                Map.entry("join", "d attribute"),
                Map.entry("first", ""),
                Map.entry("last", ""),
                Map.entry("reverse", ""),
                Map.entry("items", ""),
                Map.entry("dictsort", "case_sensitive by reverse"),
                Map.entry("sort", "reverse case_sensitive attribute"),
                Map.entry("unique", "case_sensitive attribute"),
                Map.entry("min", "case_sensitive attribute"),
                Map.entry("max", "case_sensitive attribute"),
                Map.entry("sum", "attribute start"),
                Map.entry("attr", "name"),
                Map.entry("batch", "linecount fill_with"),
                Map.entry("slice", "slices fill_with"),
                Map.entry("groupby", "attribute default case_sensitive"));
        ALL.replaceAll((name, filter) ->
                signatures.containsKey(name) ? Filters.checked(signatures.get(name), filter) : filter);
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

    /** The keys of {@code sort}: several attributes may be named, with commas between. */
    private static UnaryOperator<Object> attributes(Arguments arguments) {
        Object attribute = arguments.get(2, "attribute", null);
        if (!Values.isText(attribute) || Values.text(attribute).indexOf(',') < 0) {
            UnaryOperator<Object> path = path(attribute, null);
            return item -> new Several(Collections.singletonList(path.apply(item)));
        }
        List<UnaryOperator<Object>> paths = new ArrayList<>();
        for (String part : Values.text(attribute).split(",", -1)) {
            paths.add(path(part, null));
        }
        return item -> new Several(paths.stream().map(path -> path.apply(item)).toList());
    }

    /** Sort keys that go before each other in turn. */
    private record Several(List<Object> keys) {}

    private static Object folded(Object value, boolean caseSensitive) {
        return Values.isText(value) && !caseSensitive ? Values.text(value).toLowerCase(Locale.ROOT) : value;
    }

    private static Comparator<Object> order(Context context, UnaryOperator<Object> attribute, boolean caseSensitive) {
        return (a, b) -> compare(context, attribute.apply(a), attribute.apply(b), caseSensitive);
    }

    private static int compare(Context context, Object left, Object right, boolean caseSensitive) {
        if (left instanceof Several first && right instanceof Several second) {
            return Operators.compare(context, folded(first, caseSensitive), folded(second, caseSensitive));
        }
        return Operators.compare(context, folded(left, caseSensitive), folded(right, caseSensitive));
    }

    private static List<Object> folded(Several keys, boolean caseSensitive) {
        List<Object> folded = new ArrayList<>();
        keys.keys().forEach(key -> folded.add(folded(key, caseSensitive)));
        return folded;
    }

    private static List<Object> sorted(
            List<Object> items,
            Context context,
            UnaryOperator<Object> attribute,
            boolean caseSensitive,
            boolean reverse) {
        items.forEach(attribute::apply); // Python makes every key, also that of a single item
        Comparator<Object> order = order(context, attribute, caseSensitive);
        items.sort(reverse ? order.reversed() : order);
        return items;
    }

    private static Object join(Context context, Object value, Arguments arguments) {
        String separator = Values.text(arguments.get(0, "d", ""));
        UnaryOperator<Object> attribute = attribute(arguments, 1);
        TextBuffer joined = new TextBuffer();
        String between = "";
        for (Object item : Values.list(value)) {
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
        List<Object> items = Values.list(new DictView(DictView.Kind.ITEMS, map));
        Comparator<Object> order =
                order(context, item -> ((Tuple) item).get(part), arguments.flag(0, "case_sensitive", false));
        items.sort(arguments.flag(2, "reverse", false) ? order.reversed() : order);
        return items;
    }

    private static Object unique(Context context, Object value, Arguments arguments) {
        boolean caseSensitive = arguments.flag(0, "case_sensitive", false);
        UnaryOperator<Object> attribute = attribute(arguments, 1);
        Set<Object> seen = new HashSet<>();
        return new Generator(() -> Generator.filtered(
                Values.iterator(value), item -> seen.add(Values.key(folded(attribute.apply(item), caseSensitive)))));
    }

    private static Object extreme(Context context, Object value, Arguments arguments, int sign) {
        List<Object> items = Values.list(value);
        if (items.isEmpty()) {
            return new Undefined("No aggregated item, sequence was empty.");
        }
        UnaryOperator<Object> attribute = attribute(arguments, 1);
        items.forEach(attribute::apply); // as for sort
        Comparator<Object> order = order(context, attribute, arguments.flag(0, "case_sensitive", false));
        Object best = items.get(0);
        for (Object item : items.subList(1, items.size())) {
            best = sign * order.compare(item, best) > 0 ? item : best;
        }
        return best;
    }

    private static Object map(Context context, Object value, Arguments arguments) {
        return lazily(context, value, items -> {
            if (arguments.positional().isEmpty() && arguments.named().containsKey("attribute")) {
                Set<String> others = new HashSet<>(arguments.named().keySet());
                others.removeAll(Set.of("attribute", "default"));
                if (!others.isEmpty()) {
                    throw new TemplateError(
                            "Unexpected keyword argument '" + others.iterator().next() + "'");
                }
                UnaryOperator<Object> attribute = path(
                        arguments.named().get("attribute"), arguments.named().get("default"));
                return Generator.mapped(items, attribute::apply);
            }
            Filter filter = Filters.get(Values.text(arguments.require(0, "filter")));
            Arguments rest = arguments.skip(1);
            return Generator.mapped(items, item -> filter.apply(context, item, rest));
        });
    }

    /** Lazy filters do not even look at their arguments while nothing is asked of them, nor when the value is false. */
    private static Generator lazily(Context context, Object value, UnaryOperator<Iterator<Object>> filter) {
        return new Generator(() -> {
            if (!Values.isTrue(value)) {
                return Collections.emptyIterator();
            }
            Iterator<Object> items = Values.iterator(value);
            return filter.apply(Generator.mapped(items, item -> {
                context.step();
                return item;
            }));
        });
    }

    private static Object filter(
            Context context, Object value, Arguments arguments, boolean byAttribute, boolean keeps) {
        return lazily(context, value, items -> {
            UnaryOperator<Object> attribute =
                    byAttribute ? path(arguments.require(0, "attribute"), null) : UnaryOperator.identity();
            Arguments rest = arguments.skip(byAttribute ? 1 : 0);
            Test test = rest.positional().isEmpty()
                    ? (c, item, none) -> Values.isTrue(item)
                    : Tests.get(Values.text(rest.positional().get(0)));
            Arguments given = rest.skip(1);
            return Generator.filtered(items, item -> test.test(context, attribute.apply(item), given) == keeps);
        });
    }

    private static Object batch(Context context, Object value, Arguments arguments) {
        Object count = arguments.require(0, "linecount");
        Object fill = arguments.get(1, "fill_with", null);
        return new Generator(() -> {
            List<Object> batches = new ArrayList<>();
            List<Object> batch = new ArrayList<>();
            for (Object item : Values.list(value)) {
                if (Operators.equal(context, (long) batch.size(), count)) {
                    batches.add(batch);
                    batch = new ArrayList<>();
                }
                batch.add(item);
            }
            if (!batch.isEmpty()) {
                long size = fill == null ? 0 : Limits.size(Integers.clamped(count));
                while (batch.size() < size) {
                    batch.add(fill);
                }
                batches.add(batch);
            }
            return batches.iterator();
        });
    }

    /** Columns of as equal lengths as can be, the first ones longer. */
    private static Object slice(Context context, Object value, Arguments arguments) {
        Object count = arguments.require(0, "slices");
        Object fill = arguments.get(1, "fill_with", null);
        return new Generator(() -> {
            List<Object> items = Values.list(value);
            long slices = Limits.size(Values.integer(count));
            if (slices == 0) {
                throw new TemplateError("integer division or modulo by zero");
            }
            List<Object> columns = new ArrayList<>();
            int from = 0;
            for (long k = 0; k < slices; k++) {
                context.step();
                boolean longer = k < items.size() % slices;
                int to = from + (int) (items.size() / slices) + (longer ? 1 : 0);
                List<Object> column = new ArrayList<>(items.subList(from, to));
                if (fill != null && !longer) {
                    column.add(fill);
                }
                columns.add(column);
                from = to;
            }
            return columns.iterator();
        });
    }

    private static Object groupBy(Context context, Object value, Arguments arguments) {
        UnaryOperator<Object> attribute = path(arguments.require(0, "attribute"), arguments.get(1, "default", null));
        boolean caseSensitive = arguments.flag(2, "case_sensitive", false);
        List<Object> items = new ArrayList<>(Values.list(value));
        items.sort(order(context, attribute, caseSensitive));
        List<Object> groups = new ArrayList<>();
        List<Object> members = new ArrayList<>();
        for (int k = 0; k < items.size(); k++) {
            members.add(items.get(k));
            Object key = folded(attribute.apply(items.get(k)), caseSensitive);
            if (k + 1 == items.size()
                    || !Operators.equal(context, key, folded(attribute.apply(items.get(k + 1)), caseSensitive))) {
                groups.add(
                        new Tuple(Arrays.asList(attribute.apply(members.get(0)), members), List.of("grouper", "list")));
                members = new ArrayList<>();
            }
        }
        return groups;
    }
}
