package io.kindling.engine.cpu;

import io.kindling.engine.ir.DataType;
import io.kindling.engine.provider.KernelContext;
import io.kindling.engine.provider.Tensor;

/** How the 8-bit elements of a tensor stand for numbers: {@code (q − zero) · scale}. */
record Quantization(float scale, int zero) {
    /** From a scalar scale input and the zero point input behind it, which may be absent. */
    static Quantization of(KernelContext context, int scaleInput) {
        int zero = context.hasInput(scaleInput + 1) ? (int) TensorIo.getLong(context.input(scaleInput + 1), 0) : 0;
        return new Quantization(TensorIo.getFloat(context.input(scaleInput), 0), zero);
    }

    float number(long element) {
        return (element - zero) * scale;
    }

    float get(Tensor tensor, int index) {
        return number(TensorIo.getLong(tensor, index));
    }

    /** The nearest element of the type. */
    long element(double number, DataType type) {
        return QuantizeKernels.saturated(Math.rint((float) (number / scale)) + zero, type);
    }

    void put(Tensor tensor, int index, double number) {
        TensorIo.putLong(tensor, index, element(number, tensor.type()));
    }
}
