package io.kindling.engine.cpu;

import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Node;
import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.KernelContext;
import io.kindling.engine.provider.Tensor;
import java.math.BigDecimal;
import java.util.Locale;

/**
 * {@code Cast} and {@code CastLike}. Floats become integers by truncation toward zero; out of range values wrap around,
 * as ONNX leaves them undefined. Strings are read and written as decimal numbers.
 */
final class CastKernels {
    private CastKernels() {}

    static void register(CpuKernels.Registrar registrar) {
        registrar.register("", "Cast", 1, request -> {
            Node node = request.node();
            DataType type = node.attribute("to").isPresent() && node.intAttribute("to", 0) > 0
                    ? DataType.ofCode((int) node.intAttribute("to", 0)).orElseThrow()
                    : DataType.valueOf(node.stringAttribute("to", "").toUpperCase(Locale.ROOT));
            return cast(node, context -> type);
        });
        registrar.register(
                "",
                "CastLike",
                15,
                request -> cast(request.node(), context -> context.input(1).type()));
        registrar.register("", "BitCast", 1, request -> {
            DataType type =
                    DataType.ofCode((int) request.node().intAttribute("to", 0)).orElseThrow();
            return context -> bitCast(context, type);
        });
    }

    private interface Target {
        DataType of(KernelContext context);
    }

    private static Kernel cast(Node node, Target target) {
        boolean saturate = node.intAttribute("saturate", 1) != 0;
        String roundMode = node.stringAttribute("round_mode", "up");
        return context -> {
            Tensor x = context.input(0);
            DataType type = target.of(context);
            if (type == DataType.STRING) {
                context.outputStrings(0, x.type() == DataType.STRING ? x.strings() : strings(x), x.shape());
                return;
            }
            Tensor y = context.output(0, type, x.shape());
            convert(x, y, saturate, roundMode);
        };
    }

    /** Converts all elements of x to y's type. */
    static void convert(Tensor x, Tensor y, boolean saturate, String roundMode) {
        int count = TensorIo.count(x);
        DataType from = x.type();
        DataType to = y.type();
        if (from == to) {
            TensorIo.copy(x, 0, y, 0, count);
            return;
        }
        boolean integers = from != DataType.STRING && !from.isFloatingPoint() && !to.isFloatingPoint();
        for (int k = 0; k < count; k++) {
            if (integers) {
                long value = TensorIo.getLong(x, k);
                TensorIo.putLong(y, k, to == DataType.BOOL ? (value == 0 ? 0 : 1) : value);
            } else if (from == DataType.STRING && !to.isFloatingPoint() && to != DataType.BOOL) {
                TensorIo.putLong(y, k, parseInteger(x.strings()[k]));
            } else {
                put(
                        y,
                        k,
                        from == DataType.STRING ? parse(x.strings()[k]) : TensorIo.getDouble(x, k),
                        saturate,
                        roundMode);
            }
        }
    }

    /** Stores a number in whatever type y has. */
    static void put(Tensor y, int index, double value, boolean saturate, String roundMode) {
        DataType type = y.type();
        if (type == DataType.BOOL) {
            y.bytes().put(index, (byte) (value == 0 ? 0 : 1));
        } else if (type == DataType.FLOAT8E8M0) {
            y.bytes().put(index, (byte) encodePowerOfTwo((float) value, saturate, roundMode));
        } else if (SmallFloats.handles(type)) {
            SmallFloats.put(y, index, SmallFloats.encode(type, (float) value, saturate));
        } else if (type.isFloatingPoint()) {
            TensorIo.putDouble(y, index, value);
        } else if (type == DataType.UINT64 && value >= 0x1p63) {
            TensorIo.putLong(y, index, (long) (value - 0x1p63) ^ Long.MIN_VALUE);
        } else {
            TensorIo.putLong(y, index, (long) value);
        }
    }

    /** Biased exponents without sign or mantissa; the mantissa of {@code value} is rounded as {@code mode} says. */
    private static int encodePowerOfTwo(float value, boolean saturate, String mode) {
        float magnitude = Math.abs(value);
        if (Float.isNaN(magnitude)) {
            return 255;
        }
        if (Float.isInfinite(magnitude)) {
            return saturate ? 254 : 255;
        }
        int bits = Float.floatToRawIntBits(magnitude);
        int exponent = bits >>> 23;
        int mantissa = bits & 0x7fffff;
        boolean up =
                switch (mode) {
                    case "up" -> mantissa != 0 && (exponent > 0 || mantissa > 0x400000);
                    case "nearest" -> mantissa >= 0x400000 && (exponent > 0 || mantissa > 0x400000);
                    default -> false;
                };
        return up && exponent + 1 > 254 && !saturate ? 255 : Math.min(254, up ? exponent + 1 : exponent);
    }

    private static double parse(String text) {
        String plain = text.trim();
        return switch (plain.toLowerCase(Locale.ROOT)) {
            case "inf", "+inf", "infinity" -> Double.POSITIVE_INFINITY;
            case "-inf", "-infinity" -> Double.NEGATIVE_INFINITY;
            case "nan", "-nan" -> Double.NaN;
            default -> Double.parseDouble(plain);
        };
    }

    private static long parseInteger(String text) {
        return new BigDecimal(text.trim()).toBigInteger().longValue();
    }

    private static String[] strings(Tensor x) {
        String[] strings = new String[TensorIo.count(x)];
        for (int k = 0; k < strings.length; k++) {
            strings[k] = text(x, k);
        }
        return strings;
    }

    private static String text(Tensor x, int index) {
        if (!x.type().isFloatingPoint()) {
            long value = TensorIo.getLong(x, index);
            return switch (x.type()) {
                case BOOL -> value == 0 ? "False" : "True";
                case UINT64 -> Long.toUnsignedString(value);
                default -> Long.toString(value);
            };
        }
        double value = TensorIo.getDouble(x, index);
        if (Double.isNaN(value)) {
            return "NaN";
        }
        if (Double.isInfinite(value)) {
            return value > 0 ? "INF" : "-INF";
        }
        BigDecimal shortest = x.type() == DataType.DOUBLE
                ? new BigDecimal(Double.toString(value))
                : new BigDecimal(Float.toString((float) value));
        return shortest.stripTrailingZeros().toPlainString();
    }

    private static void bitCast(KernelContext context, DataType type) {
        Tensor x = context.input(0);
        if (x.type().bits() != type.bits()) {
            throw Shapes.invalid("BitCast keeps the width: " + x + " cannot become " + type.onnxName());
        }
        Tensor y = context.output(0, type, x.shape());
        int bytes = Math.toIntExact(x.byteSize());
        y.bytes().put(0, x.bytes(), 0, bytes);
    }
}
