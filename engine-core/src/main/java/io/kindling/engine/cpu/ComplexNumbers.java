package io.kindling.engine.cpu;

import io.kindling.engine.ir.DataType;
import io.kindling.engine.provider.Tensor;
import java.util.Arrays;

/** Complex tensors, whose elements are a real and an imaginary part one after the other. */
final class ComplexNumbers {
    private ComplexNumbers() {}

    static boolean is(DataType type) {
        return type == DataType.COMPLEX64 || type == DataType.COMPLEX128;
    }

    /** The parts as a tensor of real numbers with a last axis of size 2, over the same memory. */
    static Tensor parts(Tensor complex) {
        long[] shape = Arrays.copyOf(complex.shape(), complex.rank() + 1);
        shape[complex.rank()] = 2;
        DataType type = complex.type() == DataType.COMPLEX64 ? DataType.FLOAT : DataType.DOUBLE;
        return Tensor.of(type, shape, complex.buffer(), complex.byteOffset());
    }
}
