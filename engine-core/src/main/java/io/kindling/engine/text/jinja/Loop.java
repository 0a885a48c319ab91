package io.kindling.engine.text.jinja;

import java.util.List;

/** The variable {@code loop}. */
final class Loop implements Callable {
    private final List<Object> items;
    private final int depth;
    private final Callable recursion;
    private int index;
    private Object lastChecked = new Object();

    /** @param recursion what calling the variable does; null when the loop is not recursive */
    Loop(List<Object> items, int depth, Callable recursion) {
        this.items = items;
        this.depth = depth;
        this.recursion = recursion;
    }

    void at(int place) {
        index = place;
    }

    Object attribute(String name) {
        return switch (name) {
            case "index" -> (long) index + 1;
            case "index0" -> (long) index;
            case "revindex" -> (long) items.size() - index;
            case "revindex0" -> (long) items.size() - index - 1;
            case "first" -> index == 0;
            case "last" -> index == items.size() - 1;
            case "length" -> (long) items.size();
            case "depth" -> (long) depth + 1;
            case "depth0" -> (long) depth;
            case "previtem" -> index > 0 ? items.get(index - 1) : new Undefined("there is no previous item");
            case "nextitem" -> index + 1 < items.size() ? items.get(index + 1) : new Undefined("there is no next item");
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
