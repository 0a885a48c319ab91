package io.kindling.engine.cpu;

import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Node;
import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.KernelContext;
import io.kindling.engine.provider.KernelRequest;
import io.kindling.engine.provider.Tensor;

/**
 * {@code QuantizeLinear}, {@code DequantizeLinear} and {@code DynamicQuantizeLinear}, with one scale, one a slice of an axis, or one
 * a block along an axis; all quantised types.
 */
final class QuantizeKernels {
    private QuantizeKernels() {}

    static void register(CpuKernels.Registrar registrar) {
        registrar.register("", "DequantizeLinear", 10, request -> dequantize(request, 1));
        registrar.register("com.microsoft", "DequantizeLinear", 1, request -> dequantize(request, 1));
        registrar.register("", "QuantizeLinear", 10, QuantizeKernels::quantize);
        registrar.register("com.microsoft", "QuantizeLinear", 1, QuantizeKernels::quantize);
        registrar.register("", "DynamicQuantizeLinear", 11, request -> QuantizeKernels::dynamicQuantize);
    }

    /** Which scale an element has. */
    private static final class Scales {
        private final boolean single;
        private final int axisSize;
        private final int inner;
        private final int blocks;
        private final int block;

        private Scales(Tensor x, Tensor scale, long axisAttribute, long blockSize) {
            single = scale.elementCount() == 1 && scale.rank() <= 1;
            int axis = single ? 0 : Shapes.axis(axisAttribute, x.rank());
            axisSize = x.rank() == 0 ? 1 : (int) x.dim(axis);
            inner = x.rank() == 0 ? 1 : Shapes.product(x.shape(), axis + 1, x.rank());
            boolean blocked = !single && scale.rank() == x.rank() && (blockSize > 0 || x.rank() > 1);
            blocks = blocked ? (int) scale.dim(axis) : 0;
            block = blocked ? (int) (blockSize > 0 ? blockSize : (axisSize + blocks - 1) / Math.max(1, blocks)) : 0;
        }

        private int at(int element) {
            if (single) {
                return 0;
            }
            int along = element / inner % axisSize;
            return blocks == 0
                    ? along
                    : (element / inner / axisSize * blocks + along / block) * inner + element % inner;
        }
    }

    private static Kernel dequantize(KernelRequest request, long defaultAxis) {
        Node node = request.node();
        long axis = node.intAttribute("axis", defaultAxis);
        long block = node.intAttribute("block_size", 0);
        DataType wanted =
                DataType.ofCode((int) node.intAttribute("output_dtype", 0)).orElse(null);
        return context -> {
            Tensor x = context.input(0);
            Tensor scale = context.input(1);
            Tensor zero = context.hasInput(2) ? context.input(2) : null;
            Tensor y = context.output(0, wanted == null ? scale.type() : wanted, x.shape());
            Scales scales = new Scales(x, scale, axis, block);
            boolean floating = x.type().isFloatingPoint();
            for (int k = 0; k < x.elementCount(); k++) {
                int at = scales.at(k);
                double centred = floating
                        ? TensorIo.getDouble(x, k) - (zero == null ? 0 : TensorIo.getDouble(zero, at))
                        : TensorIo.getLong(x, k) - (zero == null ? 0 : TensorIo.getLong(zero, at));
                TensorIo.putDouble(y, k, centred * TensorIo.getDouble(scale, at));
            }
        };
    }

    private static Kernel quantize(KernelRequest request) {
        Node node = request.node();
        long axis = node.intAttribute("axis", 1);
        long block = node.intAttribute("block_size", 0);
        boolean saturate = node.intAttribute("saturate", 1) != 0;
        DataType wanted =
                DataType.ofCode((int) node.intAttribute("output_dtype", 0)).orElse(null);
        return context -> {
            Tensor x = context.input(0);
            Tensor scale = context.input(1);
            Tensor zero = context.hasInput(2) ? context.input(2) : null;
            DataType type = zero != null ? zero.type() : wanted != null ? wanted : DataType.UINT8;
            Tensor y = context.output(0, type, x.shape());
            Scales scales = new Scales(x, scale, axis, block);
            for (int k = 0; k < x.elementCount(); k++) {
                int at = scales.at(k);
                float scaled = (float) (TensorIo.getDouble(x, k) / TensorIo.getDouble(scale, at));
                if (SmallFloats.handles(type)) {
                    float shifted = zero == null ? scaled : scaled + TensorIo.getFloat(zero, at);
                    SmallFloats.put(y, k, SmallFloats.encode(type, shifted, saturate));
                } else {
                    long shift = zero == null ? 0 : TensorIo.getLong(zero, at);
                    TensorIo.putLong(y, k, saturated(Math.rint(scaled) + shift, type));
                }
            }
        };
    }

    /** The nearest value of an integer type of up to 32 bits. */
    static long saturated(double value, DataType type) {
        boolean signed =
                switch (type) {
                    case INT2, INT4, INT8, INT16, INT32 -> true;
                    default -> false;
                };
        long low = signed ? -(1L << type.bits() - 1) : 0;
        long high = (1L << type.bits() - (signed ? 1 : 0)) - 1;
        return (long) Math.max(low, Math.min(high, value));
    }

    private static void dynamicQuantize(KernelContext context) {
        Tensor x = context.input(0);
        Tensor y = context.output(0, DataType.UINT8, x.shape());
        Tensor scale = context.output(1, DataType.FLOAT);
        Tensor zero = context.output(2, DataType.UINT8);
        scale.floats().put(0, dynamic(x, y, zero));
    }

    /**
     * Asymmetric quantisation to uint8 over the whole tensor, whose range is widened to hold 0.
     *
     * @return the scale
     */
    static float dynamic(Tensor x, Tensor y, Tensor zeroPoint) {
        float min = 0;
        float max = 0;
        for (int k = 0; k < x.elementCount(); k++) {
            float value = x.floats().get(k);
            min = Math.min(min, value);
            max = Math.max(max, value);
        }
        float scale = (max - min) / 255;
        float divisor = scale == 0 ? 1 : scale;
        int zero = (int) saturated(Math.rint(-min / divisor), DataType.UINT8);
        for (int k = 0; k < x.elementCount(); k++) {
            y.bytes().put(k, (byte) saturated(Math.rint(x.floats().get(k) / divisor) + zero, DataType.UINT8));
        }
        zeroPoint.bytes().put(0, (byte) zero);
        return scale;
    }
}
