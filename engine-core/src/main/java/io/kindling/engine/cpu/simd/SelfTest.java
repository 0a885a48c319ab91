package io.kindling.engine.cpu.simd;

import static io.kindling.engine.cpu.simd.SelfTestData.address;
import static io.kindling.engine.cpu.simd.SelfTestData.bytes;

import java.nio.ByteBuffer;

/**
 * Runs kernels once on tiny operands and compares them with plain arithmetic, so that a miscompiled or misdetected instruction
 * set gives Java kernels instead of wrong results.
 */
final class SelfTest {
    private static final int N = 19;
    private static final int K = 75;
    private static final int ROWS = 5;
    private static final int BLOCK = 32;
    private static final int BLOCKS = (K + BLOCK - 1) / BLOCK;

    private SelfTest() {}

    /** Empty when the set's products with 4 and 8 bits are right; else what differs. */
    static String matMulNBits(KernelSet set) {
        String fault = matMulNBits(set, 4);
        return fault.isEmpty() ? matMulNBits(set, 8) : fault;
    }

    private static String matMulNBits(KernelSet set, int bits) {
        ByteBuffer codes = bytes(N * BLOCKS * BLOCK * bits / 8);
        for (int i = 0; i < codes.capacity(); i++) {
            codes.put(i, (byte) (i * 37 + i / 11));
        }
        ByteBuffer scales = bytes(N * BLOCKS * Float.BYTES);
        for (int i = 0; i < N * BLOCKS; i++) {
            scales.putFloat(i * Float.BYTES, 0.01f * (i % 13 - 6.5f));
        }
        ByteBuffer values = bytes(ROWS * K * Float.BYTES);
        for (int row = 0; row < ROWS; row++) {
            for (int i = 0; i < K; i++) {
                // Multiples of 1/127 up to one, one in each stretch: quantising them loses nothing.
                values.putFloat(
                        (row * K + i) * Float.BYTES, i % 32 == 3 ? 1 : ((row * 59 + i * 31) % 255 - 127) / 127f);
            }
        }
        NBitsFormat format = new NBitsFormat(N, K, bits, BLOCK, false, NBitsFormat.Zeros.MIDDLE);
        ByteBuffer packed = bytes(Math.toIntExact(format.packedBytes()));
        long from = address(values);
        Native.nbitsPack(
                format.address(), address(codes), address(scales), 0, 0, BLOCK, address(packed), 0, format.tiles());
        int padded = (ROWS + NBitsFormat.GROUP - 1) / NBitsFormat.GROUP * NBitsFormat.GROUP;
        ByteBuffer bytes = bytes(padded * format.stretches() * 40);
        long quantisedScales = address(bytes) + (long) padded * format.stretches() * 32;
        long sums = quantisedScales + (long) padded * format.stretches() * 4;
        Native.nbitsQuantise(set.address(), from, K, BLOCK, address(bytes), quantisedScales, sums, 0, ROWS);
        ByteBuffer y = bytes(ROWS * N * Float.BYTES);
        Native.nbitsBytes(
                set.address(),
                format.address(),
                address(packed),
                address(bytes),
                quantisedScales,
                sums,
                0,
                address(y),
                ROWS,
                0,
                format.tiles());
        String fault = differs(codes, scales, values, y, bits);
        if (!fault.isEmpty()) {
            return "int8 activations times " + bits + "-bit weights: " + fault;
        }
        Native.nbitsFloats(
                set.address(), format.address(), address(packed), from, 0, address(y), ROWS, 0, format.tiles());
        fault = differs(codes, scales, values, y, bits);
        return fault.isEmpty() ? "" : "floats times " + bits + "-bit weights: " + fault;
    }

    private static String differs(ByteBuffer codes, ByteBuffer scales, ByteBuffer values, ByteBuffer y, int bits) {
        for (int row = 0; row < ROWS; row++) {
            for (int column = 0; column < N; column++) {
                double sum = 0;
                double magnitude = 0;
                for (int i = 0; i < K; i++) {
                    int bit = (column * BLOCKS * BLOCK + i) * bits;
                    int code = (codes.get(bit / 8) & 0xff) >> bit % 8 & (1 << bits) - 1;
                    double scale = scales.getFloat((column * BLOCKS + i / BLOCK) * Float.BYTES);
                    double term = (code - (1 << bits - 1)) * scale * values.getFloat((row * K + i) * Float.BYTES);
                    sum += term;
                    magnitude += Math.abs(term);
                }
                float got = y.getFloat((row * N + column) * Float.BYTES);
                if (!(Math.abs(got - sum) <= 1e-6 * magnitude)) {
                    return "row " + row + ", column " + column + " is " + got + ", not " + sum;
                }
            }
        }
        return "";
    }
}
