package io.kindling.engine.constrain;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import io.kindling.engine.JsonShape;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Makes automata of shapes, by continuation: a value's automaton leads to what follows it, so that no stack is needed. They accept JSON
 * without white space but for at most one blank behind a comma or a colon; names and constants have one spelling.
 */
final class Shapes {
    /** Sets of states, so that equal ones are one state. */
    private final Map<Set<Node>, Node> unions = new HashMap<>();

    private Shapes() {}

    /** The beginning of a text that is a value of the shape and nothing else. */
    static Node start(JsonShape shape) {
        return new Shapes().value(shape, new Node.End());
    }

    private Node value(JsonShape shape, Node then) {
        if (shape instanceof JsonShape.Text) {
            return text("\"", new Strings.Inside(then));
        }
        if (shape instanceof JsonShape.Whole whole) {
            return Numbers.whole(whole, then);
        }
        if (shape instanceof JsonShape.Numeric numeric) {
            return Numbers.numeric(numeric, then);
        }
        if (shape instanceof JsonShape.Bool) {
            return texts(List.of("true", "false"), then);
        }
        if (shape instanceof JsonShape.Null) {
            return text("null", then);
        }
        if (shape instanceof JsonShape.Day) {
            return text("\"", Days.of(text("\"", then)));
        }
        if (shape instanceof JsonShape.Time time) {
            return text("\"", Days.of(Days.time(text(time.utc() ? "Z\"" : "\"", then))));
        }
        if (shape instanceof JsonShape.Constants constants) {
            return texts(constants.values(), then);
        }
        if (shape instanceof JsonShape.OneOf choice) {
            return union(choice.shapes().stream().map(each -> value(each, then)).toList());
        }
        if (shape instanceof JsonShape.Items items) {
            Follow next = new Follow(']', then);
            next.item = value(items.element(), next);
            return text("[", new First(next));
        }
        if (shape instanceof JsonShape.Entries entries) {
            Follow next = new Follow('}', then);
            Node entry = text(":", blankBefore(value(entries.value(), next)));
            next.item = text("\"", new Strings.Inside(entry));
            return text("{", new First(next));
        }
        if (shape instanceof JsonShape.Fields fields) {
            return fields(fields.fields(), then);
        }
        return new Any(((JsonShape.Anything) shape).depth(), then);
    }

    /** Behind an item of an array or an entry of a map. */
    private static final class Follow extends Node {
        private final char end;
        private final Node then;
        private Node item;

        Follow(char end, Node then) {
            this.end = end;
            this.then = then;
        }

        @Override
        Node step(int value) {
            if (value == ',') {
                return blankBefore(item);
            }
            return value == end ? then : DEAD;
        }
    }

    /** Behind the opening bracket. */
    private static final class First extends Node {
        private final Follow next;

        First(Follow next) {
            this.next = next;
        }

        @Override
        Node step(int value) {
            return value == next.end ? next.then : next.item.next(value);
        }
    }

    /** Fields may be left out where they are not required, but keep their order. */
    private Node fields(List<JsonShape.Field> fields, Node then) {
        int count = fields.size();
        Node[] names = new Node[count];
        Node behind = text("}", then);
        Node next = behind;
        for (int k = count - 1; k >= 0; k--) {
            JsonShape.Field field = fields.get(k);
            names[k] = text(quoted(field.name()) + ":", blankBefore(value(field.shape(), next)));
            next = nextField(fields, names, k, behind);
        }
        List<Node> first = new ArrayList<>(open(fields, names, 0));
        if (isAllOptional(fields, 0)) {
            first.add(behind);
        }
        return text("{", union(first));
    }

    /** What follows the field before field k. */
    private Node nextField(List<JsonShape.Field> fields, Node[] names, int k, Node end) {
        Node more = text(",", blankBefore(union(open(fields, names, k))));
        return isAllOptional(fields, k) ? union(List.of(more, end)) : more;
    }

    /** The fields from k on, up to the first that is required. */
    private static List<Node> open(List<JsonShape.Field> fields, Node[] names, int k) {
        List<Node> open = new ArrayList<>();
        for (int field = k; field < names.length; field++) {
            open.add(names[field]);
            if (fields.get(field).required()) {
                break;
            }
        }
        return open;
    }

    private static boolean isAllOptional(List<JsonShape.Field> fields, int k) {
        return fields.subList(k, fields.size()).stream().noneMatch(JsonShape.Field::required);
    }

    /** Values of all forms; those inside are made when one begins. */
    private final class Any extends Node {
        private final int depth;
        private final Node then;
        private Node made;

        Any(int depth, Node then) {
            this.depth = depth;
            this.then = then;
        }

        @Override
        Node step(int value) {
            if (made == null) {
                List<JsonShape> shapes = new ArrayList<>(List.of(
                        new JsonShape.Text(), JsonShape.Numeric.DOUBLE, new JsonShape.Bool(), new JsonShape.Null()));
                if (depth > 0) {
                    JsonShape inner = new JsonShape.Anything(depth - 1);
                    shapes.add(new JsonShape.Items(inner));
                    shapes.add(new JsonShape.Entries(inner));
                }
                made = value(new JsonShape.OneOf(shapes), then);
            }
            return made.next(value);
        }
    }

    private static Node blankBefore(Node node) {
        return new Node() {
            @Override
            Node step(int value) {
                return value == ' ' ? node : node.next(value);
            }
        };
    }

    private Node text(String text, Node then) {
        return texts(List.of(text), then);
    }

    /** One of several texts. */
    private Node texts(List<String> texts, Node then) {
        return texts(
                texts.stream()
                        .map(text -> text.getBytes(StandardCharsets.UTF_8))
                        .toList(),
                0,
                then);
    }

    /** The rest of texts from a byte on, before which they are equal; one may be another's beginning. */
    private Node texts(List<byte[]> texts, int at, Node then) {
        List<byte[]> longer = texts.stream().filter(text -> text.length > at).toList();
        if (longer.isEmpty()) {
            return then;
        }
        Node more = new Node() {
            @Override
            Node step(int value) {
                List<byte[]> fitting = longer.stream()
                        .filter(text -> (text[at] & 0xFF) == value)
                        .toList();
                return fitting.isEmpty() ? DEAD : texts(fitting, at + 1, then);
            }
        };
        return longer.size() == texts.size() ? more : union(List.of(more, then));
    }

    /** Where several automata go on together. */
    private Node union(List<Node> nodes) {
        Set<Node> open = new LinkedHashSet<>(nodes);
        open.remove(Node.DEAD);
        if (open.isEmpty()) {
            return Node.DEAD;
        }
        return open.size() == 1
                ? open.iterator().next()
                : unions.computeIfAbsent(open, made -> new Node() {
                    @Override
                    Node step(int value) {
                        return union(made.stream().map(node -> node.next(value)).toList());
                    }

                    @Override
                    boolean mayEnd() {
                        return made.stream().anyMatch(Node::mayEnd);
                    }
                });
    }

    private static String quoted(String name) {
        return '"' + new String(JsonStringEncoder.getInstance().quoteAsString(name)) + '"';
    }
}
