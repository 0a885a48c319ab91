package io.kindling.engine.error;

import java.util.Objects;

/** Root of every fault the engine reports: a code to match on and a message that says what, why and what to do. */
public class KindlingException extends RuntimeException {
    private final ErrorCode code;

    public KindlingException(ErrorCode code, String message) {
        this(code, message, null);
    }

    public KindlingException(ErrorCode code, String message, Throwable cause) {
        super(message, cause);
        this.code = Objects.requireNonNull(code);
    }

    public final ErrorCode code() {
        return code;
    }
}
