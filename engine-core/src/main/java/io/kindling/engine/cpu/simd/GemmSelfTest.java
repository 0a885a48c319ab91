package io.kindling.engine.cpu.simd;

import static io.kindling.engine.cpu.simd.SelfTestData.address;
import static io.kindling.engine.cpu.simd.SelfTestData.at;
import static io.kindling.engine.cpu.simd.SelfTestData.floats;
import static io.kindling.engine.cpu.simd.SelfTestData.pattern;

import io.kindling.engine.cpu.simd.GemmJob.Layout;
import java.nio.ByteBuffer;

/** Products with packed and unpacked weights over full blocks and rests; see {@link SelfTest}. */
final class GemmSelfTest {
    private static final int ROWS = 17;
    private static final int N = 67;
    private static final int K = 21;

    private GemmSelfTest() {}

    /** Empty when right; else what differs. */
    static String run(KernelSet set) {
        ByteBuffer a = pattern(ROWS * K, 37);
        ByteBuffer b = pattern(K * N, 53);
        ByteBuffer d = pattern(N, 29);
        ByteBuffer panels = floats(Math.toIntExact(GemmJob.packedBytes(Layout.TILES, K, N) / Float.BYTES));
        ByteBuffer job = ByteBuffer.allocateDirect(GemmJob.BYTE_SIZE);
        ByteBuffer c = floats(ROWS * N);
        GemmShape.Matrix left = GemmShape.Matrix.of(K, false);
        GemmShape.Matrix right = GemmShape.Matrix.of(N, false);
        GemmJob.Addend addend = GemmJob.Addend.of(address(d), new long[] {N}, ROWS, N, 0.5f);
        for (Layout layout : Layout.values()) {
            if (layout == Layout.TILES && !set.tiles()) {
                continue;
            }
            boolean packed = layout != Layout.PLAIN;
            boolean rounded = layout == Layout.TILES;
            GemmJob.write(job, K, N, left, right, layout, addend, 2, N, rounded);
            if (packed) {
                Native.gemmPack(set.address(), address(job), address(b), address(panels), 0, GemmJob.panels(N));
            }
            // A single row and the rows behind it: both kinds of blocks.
            for (int[] rows : new int[][] {{0, 1}, {1, ROWS}}) {
                Native.gemm(
                        set.address(),
                        address(job),
                        address(a),
                        address(packed ? panels : b),
                        address(c),
                        rows[0],
                        rows[1],
                        0,
                        GemmJob.panels(N));
            }
            String fault = differs(a, b, d, c, rounded ? 5e-5 : 3e-6);
            if (!fault.isEmpty()) {
                return layout + ": " + fault;
            }
        }
        return "";
    }

    private static String differs(ByteBuffer a, ByteBuffer b, ByteBuffer d, ByteBuffer c, double tolerance) {
        for (int row = 0; row < ROWS; row++) {
            for (int column = 0; column < N; column++) {
                double want = 0.5 * at(d, column);
                double magnitude = Math.abs(want);
                for (int i = 0; i < K; i++) {
                    double term = 2.0 * at(a, row * K + i) * at(b, i * N + column);
                    want += term;
                    magnitude += Math.abs(term);
                }
                float got = at(c, row * N + column);
                if (!(Math.abs(got - want) <= tolerance * magnitude)) {
                    return "row " + row + ", column " + column + " is " + got + ", not " + want;
                }
            }
        }
        return "";
    }
}
