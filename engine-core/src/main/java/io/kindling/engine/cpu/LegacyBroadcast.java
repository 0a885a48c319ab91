package io.kindling.engine.cpu;

import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.OperatorException;
import io.kindling.engine.ir.Node;
import io.kindling.engine.provider.Kernel;

/**
 * Binary operators before opset 7 broadcast only with {@code broadcast = 1}, and may then align the second operand at {@code axis}.
 * Alignment at the end is what newer opsets do anyway.
 */
final class LegacyBroadcast {
    private LegacyBroadcast() {}

    /** @throws OperatorException UNSUPPORTED for alignment elsewhere than at the end */
    static Kernel wrap(Node node, Kernel kernel) {
        if (node.intAttribute("broadcast", 0) != 0 && node.intAttribute("axis", -1) >= 0) {
            throw new OperatorException(
                    ErrorCode.UNSUPPORTED,
                    node.operator(),
                    node.name(),
                    "broadcasting from axis " + node.intAttribute("axis", -1)
                            + " (opset 6 and older) is not supported; convert the model to opset 7 or newer");
        }
        return kernel;
    }
}
