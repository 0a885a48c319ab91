package io.kindling.engine.cpu;

import io.kindling.engine.ir.DataType;

/**
 * An operation on two numbers in the types kernels compute in.
 *
 * @param longs for integers and booleans, on sign- or zero-extended values
 * @param unsigned for UINT64, whose values come as bits
 */
record BinaryOp(Floats floats, Doubles doubles, Longs longs, Longs unsigned) {
    /** {@code z[k] = x[k] op y[k]} for k below {@code count}; z may be x or y. */
    interface Floats {
        void apply(float[] x, float[] y, float[] z, int count);
    }

    interface Doubles {
        double apply(double x, double y);
    }

    interface Longs {
        long apply(long x, long y);
    }

    static BinaryOp of(Floats floats, Doubles doubles, Longs longs) {
        return new BinaryOp(floats, doubles, longs, longs);
    }

    /** An operation that computes float results through double, rounding once. */
    static BinaryOp of(Doubles doubles, Longs longs, Longs unsigned) {
        return new BinaryOp(viaDouble(doubles), doubles, longs, unsigned);
    }

    static Floats viaDouble(Doubles doubles) {
        return (x, y, z, count) -> {
            for (int k = 0; k < count; k++) {
                z[k] = (float) doubles.apply(x[k], y[k]);
            }
        };
    }

    Longs longsFor(DataType type) {
        Longs operation = type == DataType.UINT64 ? unsigned : longs;
        if (operation == null) {
            throw Shapes.invalid("the operator is not defined for " + type.onnxName());
        }
        return operation;
    }
}
