package io.kindling.engine.error;

/** A model file that cannot be loaded; the message names the file, then the node or tensor, then the field. */
public final class ModelException extends KindlingException {
    public ModelException(ErrorCode code, String file, String element, String problem) {
        this(code, file, element, problem, null);
    }

    /**
     * @param file the file at fault, as the user named it
     * @param element node, tensor or field at fault; empty when the file as a whole is
     * @param problem what was found, what was expected and what to do
     */
    public ModelException(ErrorCode code, String file, String element, String problem, Throwable cause) {
        super(code, file + (element.isEmpty() ? "" : ": " + element) + ": " + problem, cause);
    }
}
