package io.kindling.engine.error;

/** A node that cannot be planned or run; the message names the operator and the node. */
public final class OperatorException extends KindlingException {
    public OperatorException(ErrorCode code, String operator, String node, String problem) {
        this(code, operator, node, problem, null);
    }

    public OperatorException(ErrorCode code, String operator, String node, String problem, Throwable cause) {
        super(code, operator + " (node '" + node + "'): " + problem, cause);
    }
}
