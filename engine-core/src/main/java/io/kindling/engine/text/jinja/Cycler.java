package io.kindling.engine.text.jinja;

import java.util.List;

/** The object of {@code cycler(…)}: gives its items in turn, again and again. */
final class Cycler {
    private final List<Object> items;
    private int place;

    private Cycler(List<Object> items) {
        this.items = items;
    }

    static Cycler of(Arguments arguments) {
        if (arguments.positional().isEmpty() || !arguments.named().isEmpty()) {
            throw new TemplateError("at least one item has to be provided");
        }
        return new Cycler(arguments.positional());
    }

    Object attribute(String name) {
        return switch (name) {
            case "current" -> items.get(place);
            case "next" ->
                (Callable) (context, arguments) -> {
                    Object now = items.get(place);
                    place = (place + 1) % items.size();
                    return now;
                };
            case "reset" ->
                (Callable) (context, arguments) -> {
                    place = 0;
                    return null;
                };
            case "pos" -> (long) place;
            case "items" -> new Tuple(items);
            default -> new Undefined("'Cycler object' has no attribute '" + name + "'");
        };
    }
}
