package io.kindling.engine.cpu;

import io.kindling.engine.ir.Node;
import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.KernelContext;
import io.kindling.engine.provider.Tensor;
import java.util.Arrays;

/**
 * Binary operators before opset 7 broadcast with {@code broadcast = 1}, and may then align the first axis of the second operand at
 * {@code axis} of the first one. Alignment at the end is what newer opsets do anyway.
 */
final class LegacyBroadcast {
    private LegacyBroadcast() {}

    /** The kernel itself unless the node aligns operands in the old way. */
    static Kernel wrap(Node node, Kernel kernel) {
        int axis = (int) node.intAttribute("axis", -1);
        return node.intAttribute("broadcast", 0) != 0 && axis >= 0 ? from(axis, kernel) : kernel;
    }

    /** The kernel with its second operand aligned at an axis of the first. */
    static Kernel from(int axis, Kernel kernel) {
        return context -> kernel.execute(new Context(context, axis));
    }

    /** Shows the second operand with axes of size 1 behind its own. */
    private static final class Context extends ForwardingContext {
        private final Tensor aligned;

        private Context(KernelContext context, int axis) {
            super(context);
            Tensor y = context.input(1);
            int rank = context.input(0).rank();
            if (axis + y.rank() > rank) {
                throw Shapes.invalid(y + " does not fit " + context.input(0) + " from axis " + axis);
            }
            long[] shape = Arrays.copyOf(y.shape(), rank - axis);
            Arrays.fill(shape, y.rank(), shape.length, 1);
            aligned = Tensor.of(y.type(), shape, y.buffer(), y.byteOffset());
        }

        @Override
        public Tensor input(int index) {
            return index == 1 ? aligned : super.input(index);
        }
    }
}
