package io.kindling.engine.cpu;

import io.kindling.engine.ir.DataType;
import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.KernelContext;
import io.kindling.engine.provider.Tensor;

/** Arithmetic, comparison, logic and bit operators on two broadcast tensors, and their variadic relatives. */
final class BinaryKernels {
    static final BinaryOp ADD = BinaryOp.of(
            (x, y, z, count) -> {
                for (int k = 0; k < count; k++) {
                    z[k] = x[k] + y[k];
                }
            },
            (x, y) -> x + y,
            (x, y) -> x + y);
    static final BinaryOp SUB = BinaryOp.of(
            (x, y, z, count) -> {
                for (int k = 0; k < count; k++) {
                    z[k] = x[k] - y[k];
                }
            },
            (x, y) -> x - y,
            (x, y) -> x - y);
    static final BinaryOp MUL = BinaryOp.of(
            (x, y, z, count) -> {
                for (int k = 0; k < count; k++) {
                    z[k] = x[k] * y[k];
                }
            },
            (x, y) -> x * y,
            (x, y) -> x * y);
    static final BinaryOp DIV = new BinaryOp(
            (x, y, z, count) -> {
                for (int k = 0; k < count; k++) {
                    z[k] = x[k] / y[k];
                }
            },
            (x, y) -> x / y,
            (x, y) -> x / y,
            Long::divideUnsigned);
    static final BinaryOp MAX = BinaryOp.of(Math::max, Math::max, (x, y) -> Long.compareUnsigned(x, y) > 0 ? x : y);
    static final BinaryOp MIN = BinaryOp.of(Math::min, Math::min, (x, y) -> Long.compareUnsigned(x, y) < 0 ? x : y);

    private BinaryKernels() {}

    static void register(CpuKernels.Registrar registrar) {
        arithmetic(registrar, "Add", ADD);
        arithmetic(registrar, "Sub", SUB);
        arithmetic(registrar, "Mul", MUL);
        arithmetic(registrar, "Div", DIV);
        comparison(registrar, "Equal", (x, y) -> x == y, (x, y) -> x == y, (x, y) -> x == y);
        comparison(registrar, "Greater", (x, y) -> x > y, (x, y) -> x > y, (x, y) -> Long.compareUnsigned(x, y) > 0);
        comparison(registrar, "Less", (x, y) -> x < y, (x, y) -> x < y, (x, y) -> Long.compareUnsigned(x, y) < 0);
        comparison(
                registrar,
                "GreaterOrEqual",
                (x, y) -> x >= y,
                (x, y) -> x >= y,
                (x, y) -> Long.compareUnsigned(x, y) >= 0);
        comparison(
                registrar,
                "LessOrEqual",
                (x, y) -> x <= y,
                (x, y) -> x <= y,
                (x, y) -> Long.compareUnsigned(x, y) <= 0);
        integers(registrar, "And", 1, (x, y) -> x & y);
        integers(registrar, "Or", 1, (x, y) -> x | y);
        integers(registrar, "Xor", 1, (x, y) -> x ^ y);
        integers(registrar, "BitwiseAnd", 18, (x, y) -> x & y);
        integers(registrar, "BitwiseOr", 18, (x, y) -> x | y);
        integers(registrar, "BitwiseXor", 18, (x, y) -> x ^ y);
        registrar.register("", "BitShift", 11, request -> {
            boolean left = request.node().stringAttribute("direction", "").equals("LEFT");
            // Amounts that are negative or beyond the width shift everything out; signs fill from the left.
            BinaryOp.Longs signed = left
                    ? (x, y) -> Long.compareUnsigned(y, 63) > 0 ? 0 : x << y
                    : (x, y) -> x >> (Long.compareUnsigned(y, 63) > 0 ? 63 : y);
            BinaryOp.Longs unsigned = left ? signed : (x, y) -> Long.compareUnsigned(y, 63) > 0 ? 0 : x >>> y;
            return binary(new BinaryOp(null, null, signed, unsigned), null);
        });
        registrar.register("", "Mod", 10, request -> binary(mod(request.node().intAttribute("fmod", 0) != 0), null));
        registrar.register("", "Pow", 1, request -> LegacyBroadcast.wrap(request.node(), BinaryKernels::pow));
        variadic(registrar, "Max", MAX, false);
        variadic(registrar, "Min", MIN, false);
        variadic(registrar, "Sum", ADD, false);
        variadic(registrar, "Mean", ADD, true);
    }

    /** Since version 1 the axis attribute of legacy broadcasting is honoured; from 7 on it does not exist. */
    private static void arithmetic(CpuKernels.Registrar registrar, String name, BinaryOp op) {
        registrar.register("", name, 1, request -> LegacyBroadcast.wrap(request.node(), binary(op, null)));
    }

    private static void integers(CpuKernels.Registrar registrar, String name, int since, BinaryOp.Longs op) {
        BinaryOp operation = BinaryOp.of((BinaryOp.Floats) null, null, op);
        registrar.register("", name, since, request -> LegacyBroadcast.wrap(request.node(), binary(operation, null)));
    }

    private interface DoubleTest {
        boolean test(double x, double y);
    }

    private interface LongTest {
        boolean test(long x, long y);
    }

    private static void comparison(
            CpuKernels.Registrar registrar, String name, DoubleTest doubles, LongTest longs, LongTest unsigned) {
        BinaryOp op = BinaryOp.of(
                (double x, double y) -> doubles.test(x, y) ? 1 : 0,
                (x, y) -> longs.test(x, y) ? 1 : 0,
                (x, y) -> unsigned.test(x, y) ? 1 : 0);
        registrar.register("", name, 1, request -> LegacyBroadcast.wrap(request.node(), binary(op, DataType.BOOL)));
    }

    /** @param result element type of the output; null for that of the inputs */
    static Kernel binary(BinaryOp op, DataType result) {
        return context -> {
            Tensor x = context.input(0);
            Tensor y = context.input(1);
            long[] shape = Shapes.broadcast(x.shape(), y.shape());
            Tensor z = context.output(0, result == null ? x.type() : result, shape);
            if (x.type() == DataType.STRING) {
                equalStrings(x, y, z);
            } else {
                Elementwise.binary(op, x, y, z);
            }
        };
    }

    private static void equalStrings(Tensor x, Tensor y, Tensor z) {
        new BroadcastLoop(z.shape(), x.shape(), y.shape()).forEach((out, in, count, strides) -> {
            for (int k = 0; k < count; k++) {
                boolean equal = x.strings()[in[0] + k * strides[0]].equals(y.strings()[in[1] + k * strides[1]]);
                z.bytes().put(out + k, (byte) (equal ? 1 : 0));
            }
        });
    }

    private static BinaryOp mod(boolean likeC) {
        return likeC
                ? BinaryOp.of((double x, double y) -> x % y, (x, y) -> x % y, Long::remainderUnsigned)
                : BinaryOp.of(BinaryKernels::floorMod, Math::floorMod, Long::remainderUnsigned);
    }

    /** The remainder with the divisor's sign, zeros included. */
    private static double floorMod(double x, double y) {
        double remainder = x % y;
        if (remainder == 0) {
            return Math.copySign(remainder, y);
        }
        return (y < 0) == (remainder < 0) ? remainder : remainder + y;
    }

    /** The result has the base's type; the exponent may have another one. */
    private static void pow(KernelContext context) {
        Tensor x = context.input(0);
        Tensor y = context.input(1);
        Tensor z = context.output(0, x.type(), Shapes.broadcast(x.shape(), y.shape()));
        boolean floating = x.type().isFloatingPoint();
        boolean integerExponent = !y.type().isFloatingPoint();
        new BroadcastLoop(z.shape(), x.shape(), y.shape()).forEach((out, in, count, strides) -> {
            for (int k = 0; k < count; k++) {
                int left = in[0] + k * strides[0];
                int right = in[1] + k * strides[1];
                if (floating) {
                    TensorIo.putDouble(z, out + k, power(TensorIo.getDouble(x, left), TensorIo.getDouble(y, right)));
                } else if (integerExponent) {
                    TensorIo.putLong(z, out + k, power(TensorIo.getLong(x, left), TensorIo.getLong(y, right)));
                } else {
                    TensorIo.putLong(
                            z, out + k, (long) Math.pow(TensorIo.getDouble(x, left), TensorIo.getDouble(y, right)));
                }
            }
        });
    }

    private static double power(double base, double exponent) {
        if (exponent == 2) {
            return base * base;
        }
        return exponent == 3 ? base * base * base : Math.pow(base, exponent);
    }

    private static long power(long base, long exponent) {
        if (exponent < 0) {
            return (long) Math.pow(base, exponent);
        }
        long result = 1;
        long square = base;
        for (long rest = exponent; rest > 0; rest >>= 1) {
            if ((rest & 1) == 1) {
                result *= square;
            }
            square *= square;
        }
        return result;
    }

    private static void variadic(CpuKernels.Registrar registrar, String name, BinaryOp op, boolean mean) {
        registrar.register("", name, 1, request -> context -> {
            int inputs = context.inputCount();
            long[] shape = context.input(0).shape();
            for (int k = 1; k < inputs; k++) {
                shape = Shapes.broadcast(shape, context.input(k).shape());
            }
            Tensor z = context.output(0, context.input(0).type(), shape);
            new BroadcastLoop(z.shape(), context.input(0).shape()).forEach((out, in, count, strides) -> {
                for (int k = 0; k < count; k++) {
                    TensorIo.copy(context.input(0), in[0] + k * strides[0], z, out + k, 1);
                }
            });
            for (int k = 1; k < inputs; k++) {
                Elementwise.binary(op, z, context.input(k), z);
            }
            if (mean && inputs > 1) {
                Tensor divisor = Tensor.allocateHost(z.type());
                TensorIo.putDouble(divisor, 0, inputs);
                Elementwise.binary(DIV, z, divisor, z);
            }
        });
    }
}
