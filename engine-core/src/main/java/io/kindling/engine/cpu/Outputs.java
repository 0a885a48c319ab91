package io.kindling.engine.cpu;

import io.kindling.engine.ir.DataType;
import io.kindling.engine.provider.KernelContext;
import io.kindling.engine.provider.Tensor;

/** Output tensors for operators that move elements of any type, strings included. */
final class Outputs {
    private Outputs() {}

    /** A tensor to fill; string tensors are handed to the context by {@link #finish}. */
    static Tensor begin(KernelContext context, int index, DataType type, long... shape) {
        return type == DataType.STRING
                ? Tensor.ofStrings(shape, new String[Math.toIntExact(Tensor.count(shape))])
                : context.output(index, type, shape);
    }

    /** The same elements under another shape. */
    static Tensor reshaped(Tensor tensor, long... shape) {
        return tensor.type() == DataType.STRING
                ? Tensor.ofStrings(shape, tensor.strings())
                : Tensor.of(tensor.type(), shape, tensor.buffer(), tensor.byteOffset());
    }

    static void finish(KernelContext context, int index, Tensor filled) {
        if (filled.type() == DataType.STRING) {
            context.outputStrings(index, filled.strings(), filled.shape());
        }
    }
}
