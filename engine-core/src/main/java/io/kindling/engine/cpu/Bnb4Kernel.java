package io.kindling.engine.cpu;

import io.kindling.engine.ir.Node;
import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.KernelContext;
import io.kindling.engine.provider.KernelRequest;
import io.kindling.engine.provider.Tensor;

/**
 * {@code com.microsoft::MatMulBnb4} (since 1): weights {@code [N, K]} as 4-bit codes of a table (NF4 of the QLoRA paper, appendix E, or
 * FP4: sign, two exponent bits, one mantissa bit, largest value 1), the first of two codes in the high bits, times the largest magnitude of
 * their block in flat order.
 */
final class Bnb4Kernel implements Kernel {
    private static final float[] NF4 = {
        -1.0f,
        -0.6961928009986877f,
        -0.5250730514526367f,
        -0.39491748809814453f,
        -0.28444138169288635f,
        -0.18477343022823334f,
        -0.09105003625154495f,
        0.0f,
        0.07958029955625534f,
        0.16093020141124725f,
        0.24611230194568634f,
        0.33791524171829224f,
        0.44070982933044434f,
        0.5626170039176941f,
        0.7229568362236023f,
        1.0f
    };
    private static final float[] FP4 = new float[16];

    static {
        float[] magnitudes = {0, 0.0625f / 12, 8f / 12, 1, 4f / 12, 6f / 12, 2f / 12, 3f / 12};
        for (int code = 0; code < 8; code++) {
            FP4[code] = magnitudes[code];
            FP4[code + 8] = -magnitudes[code];
        }
    }

    private final KernelPool pool;
    private final int n;
    private final int k;
    private final int block;
    private final boolean transposed;
    private final float[] table;

    private Bnb4Kernel(Node node, KernelPool pool) {
        this.pool = pool;
        n = (int) node.intAttribute("N", 0);
        k = (int) node.intAttribute("K", 0);
        block = (int) node.intAttribute("block_size", 0);
        transposed = node.intAttribute("transB", 1) != 0;
        table = node.intAttribute("quant_type", 1) == 0 ? FP4 : NF4;
        if (n <= 0 || k <= 0 || block <= 0) {
            throw Unsupported.of(node, "N, K and block_size must be positive, not " + n + ", " + k + " and " + block);
        }
    }

    static Kernel create(KernelRequest request, KernelPool pool) {
        return new Bnb4Kernel(request.node(), pool);
    }

    @Override
    public void execute(KernelContext context) {
        Tensor a = context.input(0);
        Tensor codes = context.input(1);
        Tensor scales = context.input(2);
        int inputs = transposed ? k : n;
        int outputs = transposed ? n : k;
        if (a.rank() == 0 || a.dim(-1) != inputs || codes.elementCount() < ((long) n * k + 1) / 2) {
            throw Shapes.invalid("A " + a + " and B " + codes + " do not fit N = " + n + " and K = " + k);
        }
        long[] shape = a.shape().clone();
        shape[shape.length - 1] = outputs;
        Tensor y = context.output(0, a.type(), shape);
        int count = TensorIo.count(a) / inputs;
        float[] rows = Work.mine().floats(0, count * TiledProduct.stride(inputs));
        for (int row = 0; row < count; row++) {
            TiledProduct.load(a, row, inputs, rows, row);
        }
        TiledProduct.Source source = (start, step, column, width, tile) -> {
            for (int j = 0; j < width; j++) {
                for (int i = 0; i < step; i++) {
                    int at = transposed ? (column + j) * k + start + i : (start + i) * k + column + j;
                    int octet = codes.bytes().get(at / 2);
                    int code = at % 2 == 0 ? octet >> 4 & 15 : octet & 15;
                    tile[i][j] = table[code] * TensorIo.getFloat(scales, at / block);
                }
            }
        };
        TiledProduct.run(
                pool,
                rows,
                count,
                inputs,
                outputs,
                source,
                (row, column, sums, width) -> TensorIo.store(sums, 0, y, row * outputs + column, width));
    }
}
