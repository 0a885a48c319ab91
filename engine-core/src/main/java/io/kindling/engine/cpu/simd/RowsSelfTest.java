package io.kindling.engine.cpu.simd;

import static io.kindling.engine.cpu.simd.SelfTestData.address;
import static io.kindling.engine.cpu.simd.SelfTestData.apartFromZero;
import static io.kindling.engine.cpu.simd.SelfTestData.at;
import static io.kindling.engine.cpu.simd.SelfTestData.floats;

import java.nio.ByteBuffer;

/** Normalisations and softmax of a row of one vector and a rest; see {@link SelfTest}. */
final class RowsSelfTest {
    private static final int SIZE = 27;
    private static final float EPSILON = 0.01f;

    private final KernelSet set;
    private final ByteBuffer x = apartFromZero(SIZE, 5);
    private final ByteBuffer scale = apartFromZero(SIZE, 11);
    private final ByteBuffer shift = apartFromZero(SIZE, 7);
    private final ByteBuffer y = floats(SIZE);

    private RowsSelfTest(KernelSet set) {
        this.set = set;
    }

    private interface Want {
        double at(int index);
    }

    /** Empty when right; else what differs. */
    static String run(KernelSet set) {
        RowsSelfTest test = new RowsSelfTest(set);
        String fault = test.rmsNorm();
        fault = fault.isEmpty() ? test.layerNorm() : fault;
        return fault.isEmpty() ? test.softmax() : fault;
    }

    private String rmsNorm() {
        Native.rmsNorm(set.address(), address(x), 0, 0, address(scale), 0, address(y), SIZE, EPSILON, 0, 1);
        double root = Math.sqrt(squares(0) / SIZE + EPSILON);
        return differs("RMS normalisation", i -> at(x, i) * at(scale, i) / root);
    }

    private String layerNorm() {
        Native.layerNorm(
                set.address(), address(x), 0, 0, address(scale), address(shift), 0, address(y), SIZE, EPSILON, 0, 1);
        double sum = 0;
        for (int i = 0; i < SIZE; i++) {
            sum += at(x, i);
        }
        double mean = sum / SIZE;
        double root = Math.sqrt(squares(mean) / SIZE + EPSILON);
        return differs("layer normalisation", i -> (at(x, i) - mean) * at(scale, i) / root + at(shift, i));
    }

    private String softmax() {
        Native.softmax(set.address(), address(x), address(y), SIZE, 0, 1);
        double sum = 0;
        for (int i = 0; i < SIZE; i++) {
            sum += Math.exp(at(x, i));
        }
        double total = sum;
        return differs("softmax", i -> Math.exp(at(x, i)) / total);
    }

    private double squares(double mean) {
        double squares = 0;
        for (int i = 0; i < SIZE; i++) {
            squares += (at(x, i) - mean) * (at(x, i) - mean);
        }
        return squares;
    }

    private String differs(String what, Want want) {
        for (int i = 0; i < SIZE; i++) {
            double expected = want.at(i);
            if (!(Math.abs(at(y, i) - expected) <= 2e-6 * Math.max(0.1, Math.abs(expected)))) {
                return what + ": element " + i + " is " + at(y, i) + ", not " + expected;
            }
        }
        return "";
    }
}
