package io.kindling.engine.cpu;

import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.OperatorException;
import io.kindling.engine.ir.Node;

/** Refusals of nodes whose attributes no kernel covers. */
final class Unsupported {
    private Unsupported() {}

    static OperatorException of(Node node, String problem) {
        return new OperatorException(ErrorCode.UNSUPPORTED, node.operator(), node.name(), problem);
    }
}
