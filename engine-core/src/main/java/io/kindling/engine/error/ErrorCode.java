package io.kindling.engine.error;

import java.util.EnumSet;
import java.util.Set;

/** What kind of fault a {@link KindlingException} reports; stable names that callers may match on. */
public enum ErrorCode {
    /** A model, tokenizer or other file does not exist or cannot be read. */
    NOT_FOUND,
    /** A model file is malformed. */
    MODEL_INVALID,
    /** A valid model uses something this engine does not do. */
    UNSUPPORTED,
    /** Model package metadata does not say, or says ambiguously, what a port is for. */
    UNRESOLVED,
    /** A tensor's shape or element type is not what an operator or port needs. */
    SHAPE_OR_TYPE,
    /** An option is unknown, malformed or out of range. */
    INVALID_OPTION,
    /** The tokenizer is missing or refuses its input. */
    TOKENIZER,
    /** A chat template is malformed or raised an error. */
    TEMPLATE,
    /** A prompt does not fit the model's context. */
    PROMPT_TOO_LONG,
    /** The model produced NaN or infinite logits. */
    NON_FINITE_LOGITS,
    /** An answer cannot be held to the form that was asked for. */
    CONSTRAINT,
    /** A memory budget or a device is exhausted. */
    OUT_OF_MEMORY,
    /** A model needs more memory than it may have, whatever else is loaded. */
    DOES_NOT_FIT,
    /** The device asked for cannot be used. */
    DEVICE_UNAVAILABLE,
    /** The work was cancelled by its owner. */
    CANCELLED,
    /** Reading or writing failed. */
    IO,
    /** A fault of this engine. */
    INTERNAL;

    private static final Set<ErrorCode> MAY_PASS =
            EnumSet.of(IO, OUT_OF_MEMORY, DEVICE_UNAVAILABLE, CANCELLED, INTERNAL);

    /** Whether another try may succeed, since the fault may be of the machine or the moment and not of what was asked. */
    public boolean mayPass() {
        return MAY_PASS.contains(this);
    }
}
