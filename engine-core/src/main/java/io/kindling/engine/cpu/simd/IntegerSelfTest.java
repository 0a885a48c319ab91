package io.kindling.engine.cpu.simd;

import static io.kindling.engine.cpu.simd.SelfTestData.address;
import static io.kindling.engine.cpu.simd.SelfTestData.bytes;

import io.kindling.engine.cpu.simd.IntegerJob.Field;
import java.nio.ByteBuffer;

/** Products of bytes of all values over full blocks and rests, and quantisation there and back; see {@link SelfTest}. */
final class IntegerSelfTest {
    private static final int ROWS = 35;
    private static final int N = 67;
    private static final int K = 70;
    private static final int ZERO_A = 3;
    private static final int ZERO_B = 131;

    private IntegerSelfTest() {}

    /** Empty when right; else what differs. */
    static String run(KernelSet set) {
        String fault = product(set);
        return fault.isEmpty() ? quantisation(set) : fault;
    }

    /** Signed bytes times unsigned ones. */
    private static String product(KernelSet set) {
        ByteBuffer a = pattern(ROWS * K, 37);
        ByteBuffer b = pattern(K * N, 53);
        ByteBuffer zeros = bytes(2).put(0, (byte) ZERO_A).put(1, (byte) ZERO_B);
        ByteBuffer rows = bytes(Math.toIntExact(IntegerJob.rowsBytes(K, ROWS)));
        ByteBuffer panels = bytes(Math.toIntExact(IntegerJob.packedBytes(K, N)));
        ByteBuffer struct = bytes(IntegerJob.BYTE_SIZE);
        ByteBuffer c = bytes(ROWS * N * Integer.BYTES);
        new IntegerJob(struct)
                .set(Field.K, K)
                .set(Field.N, N)
                .set(Field.C_ROW, N)
                .set(Field.SIGNED_A, true)
                .set(Field.ZERO_A, address(zeros))
                .set(Field.ZERO_B, address(zeros) + 1);
        Native.integerRows(set.address(), address(a), K, 1, false, K, address(rows), 0, ROWS);
        Native.integerPack(set.address(), address(b), N, 1, false, K, N, address(panels), 0, GemmJob.panels(N));
        // Whole tiles and blocks, and then the rows of the smaller blocks.
        for (int[] part : new int[][] {{0, 32}, {32, ROWS}}) {
            Native.integer(
                    set.address(),
                    address(struct),
                    address(rows),
                    address(panels),
                    address(c),
                    part[0],
                    part[1],
                    0,
                    GemmJob.panels(N));
        }
        for (int i = 0; i < ROWS * N; i++) {
            int want = 0;
            for (int k = 0; k < K; k++) {
                want += (a.get(i / N * K + k) - ZERO_A) * ((b.get(k * N + i % N) & 0xff) - ZERO_B);
            }
            int got = c.getInt(i * Integer.BYTES);
            if (got != want) {
                return "row " + i / N + ", column " + i % N + " is " + got + ", not " + want;
            }
        }
        return "";
    }

    /** Quotients that end in a half among them. */
    private static String quantisation(KernelSet set) {
        float scale = 0.25f;
        ByteBuffer x = bytes(N * Float.BYTES);
        for (int i = 0; i < N; i++) {
            x.putFloat(i * Float.BYTES, (i - N / 2) * 0.625f);
        }
        ByteBuffer parameters = bytes(2 * Float.BYTES).putFloat(0, scale).put(Float.BYTES, (byte) ZERO_A);
        ByteBuffer job = bytes(QuantizeJob.BYTE_SIZE);
        ByteBuffer codes = bytes(N);
        ByteBuffer y = bytes(N * Float.BYTES);
        long zero = address(parameters) + Float.BYTES;
        QuantizeJob.write(job, QuantizeJob.Lines.of(N), address(parameters), zero, true);
        Native.quantize(set.address(), address(job), address(x), address(codes), 0, 1);
        Native.dequantize(set.address(), address(job), address(codes), address(y), 0, 1);
        for (int i = 0; i < N; i++) {
            int want = (int) Math.max(-128, Math.min(127, Math.rint((i - N / 2) * 2.5) + ZERO_A));
            if (codes.get(i) != want || y.getFloat(i * Float.BYTES) != (want - ZERO_A) * scale) {
                return "element " + i + " is " + codes.get(i) + " and " + y.getFloat(i * Float.BYTES) + ", not " + want;
            }
        }
        return "";
    }

    private static ByteBuffer pattern(int count, int step) {
        ByteBuffer values = bytes(count);
        for (int i = 0; i < count; i++) {
            values.put(i, (byte) (i * step % 257));
        }
        return values;
    }
}
