package io.kindling.engine.text.jinja;

import java.util.Optional;

/** A fault in a template or raised by one; leaves the package as a {@code KindlingException} with its position. */
final class TemplateError extends RuntimeException {
    private final Position position;

    /** A fault at whatever is being evaluated. */
    TemplateError(String message) {
        this(message, null);
    }

    TemplateError(String message, Position position) {
        super(message, null, false, false);
        this.position = position;
    }

    Optional<Position> position() {
        return Optional.ofNullable(position);
    }
}
