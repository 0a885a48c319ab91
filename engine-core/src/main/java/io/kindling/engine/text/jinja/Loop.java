package io.kindling.engine.text.jinja;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/** The variable {@code loop}. Like jinja2's it looks no further ahead than it is asked to, so that lazy items are made in turn. */
final class Loop implements Callable {
    private final Object iterated;
    private final int depth;
    private final Callable recursion;
    private Iterator<Object> items;
    private int index = -1;
    private Object previous;
    private Object current;
    private Object next;
    private boolean ahead;
    private long length = -1;
    private Object lastChecked;

    /** @param recursion what calling the variable does; null when the loop is not recursive */
    Loop(Object iterated, int depth, Callable recursion) {
        this.iterated = iterated;
        this.depth = depth;
        this.recursion = recursion;
        items = Values.iterator(iterated);
    }

    boolean hasNext() {
        return ahead || items.hasNext();
    }

    Object next() {
        Object item = ahead ? next : items.next();
        ahead = false;
        previous = current;
        current = item;
        index++;
        return item;
    }

    /** Whether an item follows, which is then in {@link #next}. */
    private boolean peek() {
        if (!ahead && items.hasNext()) {
            next = items.next();
            ahead = true;
        }
        return ahead;
    }

    private long length() {
        if (length < 0 && iterated instanceof Generator) {
            List<Object> rest = new ArrayList<>();
            items.forEachRemaining(rest::add);
            length = rest.size() + index + (ahead ? 2 : 1);
            items = rest.iterator();
        } else if (length < 0) {
            length = Values.length(iterated);
        }
        return length;
    }

    Object attribute(String name) {
        return switch (name) {
            case "index" -> (long) index + 1;
            case "index0" -> (long) index;
            case "revindex" -> length() - index;
            case "revindex0" -> length() - index - 1;
            case "first" -> index == 0;
            case "last" -> !peek();
            case "length" -> length();
            case "depth" -> (long) depth + 1;
            case "depth0" -> (long) depth;
            case "previtem" -> index > 0 ? previous : new Undefined("there is no previous item");
            case "nextitem" -> peek() ? next : new Undefined("there is no next item");
            case "cycle" ->
                (Callable) (context, arguments) -> {
                    if (arguments.positional().isEmpty()) {
                        throw new TemplateError("no items for cycling given");
                    }
                    return arguments
                            .positional()
                            .get(index % arguments.positional().size());
                };
            case "changed" ->
                (Callable) (context, arguments) -> {
                    Tuple now = new Tuple(arguments.positional());
                    boolean changed = !(lastChecked instanceof Tuple before) || !Operators.equal(context, before, now);
                    lastChecked = now;
                    return changed;
                };
            default -> new Undefined("'LoopContext object' has no attribute '" + name + "'");
        };
    }

    @Override
    public Object call(Context context, Arguments arguments) {
        if (recursion == null) {
            throw new TemplateError("the loop must have the 'recursive' marker to be called");
        }
        return recursion.call(context, arguments);
    }
}
