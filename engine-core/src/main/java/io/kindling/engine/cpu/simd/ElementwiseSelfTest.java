package io.kindling.engine.cpu.simd;

import static io.kindling.engine.cpu.simd.SelfTestData.address;
import static io.kindling.engine.cpu.simd.SelfTestData.apartFromZero;
import static io.kindling.engine.cpu.simd.SelfTestData.at;
import static io.kindling.engine.cpu.simd.SelfTestData.floats;

import io.kindling.engine.cpu.simd.NativeElementwise.Op;
import java.nio.ByteBuffer;

/** Elementwise operators over one vector and a rest; see {@link SelfTest}. */
final class ElementwiseSelfTest {
    private static final int SIZE = 27;

    private ElementwiseSelfTest() {}

    /** Empty when every operator is right; else what differs. */
    static String elementwise(KernelSet set) {
        ByteBuffer a = apartFromZero(SIZE, 5);
        ByteBuffer b = apartFromZero(SIZE, 11);
        ByteBuffer y = floats(SIZE);
        for (Op op : Op.values()) {
            Native.elementwise(set.address(), op.ordinal(), address(a), address(b), address(y), 0, SIZE);
            for (int i = 0; i < SIZE; i++) {
                double want = expected(op, at(a, i), at(b, i));
                if (!(Math.abs(at(y, i) - want) <= 1e-6 * Math.max(0.1, Math.abs(want)))) {
                    return op + " of " + at(a, i) + " and " + at(b, i) + " is " + at(y, i) + ", not " + want;
                }
            }
        }
        return "";
    }

    private static double expected(Op op, float a, float b) {
        return switch (op) {
            case ADD -> a + b;
            case SUB -> a - b;
            case MUL -> a * b;
            case DIV -> a / b;
            case SIGMOID -> 1 / (1 + Math.exp(-a));
            case SILU -> a / (1 + Math.exp(-a));
            case RELU -> Math.max(0, a);
            case TANH -> Math.tanh(a);
            case ERF -> 2 * normal(a * Math.sqrt(2)) - 1;
            case GELU -> a * normal(a);
            case GELU_TANH -> a / (1 + Math.exp(-2 * Math.sqrt(2 / Math.PI) * (a + 0.044715 * a * a * a)));
        };
    }

    /** The normal distribution function, by its series around zero. */
    private static double normal(double x) {
        double term = x;
        double sum = x;
        for (int n = 1; n < 100; n++) {
            term *= x * x / (2 * n + 1);
            sum += term;
        }
        return 0.5 + sum * Math.exp(-x * x / 2) / Math.sqrt(2 * Math.PI);
    }
}
