package io.kindling.engine.cpu;

import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.OperatorException;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Node;
import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.KernelContext;
import io.kindling.engine.provider.KernelRequest;
import io.kindling.engine.provider.Tensor;
import java.util.Arrays;

/**
 * {@code com.microsoft::GatherBlockQuantized} (since 1): gathers slices of block-quantised data and dequantises them. Data is
 * int4 or uint4, or uint8 that packs 2, 4 or 8 bits along the last axis. An index out of range gives zeros.
 */
final class GatherBlockQuantizedKernel implements Kernel {
    private final int bits;
    private final int blockSize;
    private final long gatherAxis;
    private final long quantizeAxis;

    private GatherBlockQuantizedKernel(Node node) {
        bits = (int) node.intAttribute("bits", 4);
        blockSize = (int) node.intAttribute("block_size", 128);
        gatherAxis = node.intAttribute("gather_axis", 0);
        quantizeAxis = node.intAttribute("quantize_axis", 1);
        if (blockSize < 16) {
            throw new OperatorException(
                    ErrorCode.UNSUPPORTED,
                    node.operator(),
                    node.name(),
                    "block_size must be a power of two from 16, not " + blockSize);
        }
    }

    static Kernel create(KernelRequest request) {
        return new GatherBlockQuantizedKernel(request.node());
    }

    @Override
    public void execute(KernelContext context) {
        Tensor data = context.input(0);
        Tensor indices = context.input(1);
        Tensor scales = context.input(2);
        Tensor zeroPoints = context.hasInput(3) ? context.input(3) : null;
        boolean packed = data.type() == DataType.UINT8;
        int width = packed ? bits : data.type().bits();
        long[] dims = data.shape().clone();
        if (packed) {
            dims[dims.length - 1] *= 8 / bits;
        }
        int gather = Shapes.axis(gatherAxis, dims.length);
        int quantize = Shapes.axis(quantizeAxis, dims.length);
        long[] shape = outputShape(dims, indices.shape(), gather);
        Tensor output = context.output(0, scales.type(), shape);

        int outer = Shapes.product(dims, 0, gather);
        int inner = Shapes.product(dims, gather + 1, dims.length);
        int rows = (int) dims[gather];
        int count = TensorIo.count(indices);
        int quantizedDim = (int) dims[quantize];
        int quantizedStride = Shapes.product(dims, quantize + 1, dims.length);
        int scaleDim = (int) scales.dim(quantize);
        int lastScaleDim = (int) scales.dim(-1);
        float defaultZero = packed ? 1 << bits - 1 : 0;
        float[] line = Work.mine().floats(0, inner);
        for (int o = 0; o < outer; o++) {
            for (int i = 0; i < count; i++) {
                long index = TensorIo.getLong(indices, i);
                index = index < 0 ? index + rows : index;
                if (index < 0 || index >= rows) {
                    Arrays.fill(line, 0, inner, 0);
                } else {
                    int start = (int) ((o * (long) rows + index) * inner);
                    for (int c = 0; c < inner; c++) {
                        int element = start + c;
                        int position = element / quantizedStride;
                        int scaleAt = (position / quantizedDim * scaleDim + position % quantizedDim / blockSize)
                                        * quantizedStride
                                + element % quantizedStride;
                        float zero = zeroPoints == null
                                ? defaultZero
                                : packed
                                        ? packedZero(zeroPoints, scaleAt, lastScaleDim, width)
                                        : TensorIo.getLong(zeroPoints, scaleAt);
                        long code = packed ? code(data, element, width) : TensorIo.getLong(data, element);
                        line[c] = (code - zero) * TensorIo.getFloat(scales, scaleAt);
                    }
                }
                TensorIo.store(line, 0, output, (o * count + i) * inner, inner);
            }
        }
    }

    private static int code(Tensor packed, int element, int width) {
        int perByte = 8 / width;
        return packed.bytes().get(element / perByte) >> element % perByte * width & (1 << width) - 1;
    }

    /** Zero points are packed along the last axis of the scales' shape, each line beginning a byte. */
    private static int packedZero(Tensor zeroPoints, int index, int lastDim, int width) {
        int lineBytes = (lastDim * width + 7) / 8;
        int perByte = 8 / width;
        int column = index % lastDim;
        int octet = zeroPoints.bytes().get(index / lastDim * lineBytes + column / perByte);
        return octet >> column % perByte * width & (1 << width) - 1;
    }

    private static long[] outputShape(long[] data, long[] indices, int axis) {
        long[] shape = new long[data.length - 1 + indices.length];
        System.arraycopy(data, 0, shape, 0, axis);
        System.arraycopy(indices, 0, shape, axis, indices.length);
        System.arraycopy(data, axis + 1, shape, axis + indices.length, data.length - axis - 1);
        return shape;
    }
}
