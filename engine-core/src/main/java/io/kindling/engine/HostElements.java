package io.kindling.engine;

import io.kindling.engine.cpu.TensorIo;
import io.kindling.engine.provider.Tensor;

/** Elements of tensors in host memory, of any numeric type. For callers that look at a few values, not for kernels. */
public final class HostElements {
    private HostElements() {}

    /** A real number of any width, or an integer as far as a double holds it. */
    public static double real(Tensor tensor, int index) {
        return TensorIo.getDouble(tensor, index);
    }

    /** An integer or boolean; uint64 as its bits. */
    public static long integer(Tensor tensor, int index) {
        return TensorIo.getLong(tensor, index);
    }
}
