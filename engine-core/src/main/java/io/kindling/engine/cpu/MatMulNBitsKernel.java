package io.kindling.engine.cpu;

import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.OperatorException;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Node;
import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.KernelContext;
import io.kindling.engine.provider.KernelRequest;
import io.kindling.engine.provider.Precision;
import io.kindling.engine.provider.Tensor;
import java.util.Arrays;

/**
 * {@code com.microsoft::MatMulNBits} (since 1): {@code Y[.., N] = A[.., K] · W'} with W of 2, 4 or 8 bits in blocks along K.
 *
 * <p>Under {@link Precision#EXACT} products and sums are float32, accumulated over k in ascending order. Otherwise each
 * stretch of 32 activations is quantised to {@code q = rint(a · 127 / max|a|)} (ties to even), scale {@code max|a| / 127}; the
 * dot product of each stretch with the integer weights is exact, and stretches are added in ascending order as
 * {@code sum += dot · (activation scale · weight scale)}. Integers stay far below 2^24, so float arithmetic computes them
 * exactly. Every output element depends on its own row alone, in one fixed order, whatever the number of rows or threads.
 */
final class MatMulNBitsKernel implements Kernel {
    /** Columns that are unpacked together, one part of the job. */
    private static final int TILE = TileMath.WIDTH;

    /** Activations that share a scale; also the longest stretch unpacked at once. */
    private static final int STRETCH = 32;

    /** Up to so many rows, unpacking costs more than it saves. */
    private static final int DIRECT_ROWS = 2;

    /** Rows that share one unpacked tile; bounds the accumulators. */
    private static final int ROWS = 64;

    private final KernelPool pool;
    private final int n;
    private final int k;
    private final int bits;
    private final int blockSize;
    private final int blocks;
    private final boolean quantise;

    private MatMulNBitsKernel(KernelRequest request, KernelPool pool) {
        Node node = request.node();
        this.pool = pool;
        n = (int) node.intAttribute("N", 0);
        k = (int) node.intAttribute("K", 0);
        bits = (int) node.intAttribute("bits", 4);
        blockSize = (int) node.intAttribute("block_size", 0);
        if (bits != 2 && bits != 4 && bits != 8) {
            throw refused(node, "bits must be 2, 4 or 8, not " + bits);
        }
        if (blockSize < 16 || Integer.bitCount(blockSize) != 1) {
            throw refused(node, "block_size must be a power of two from 16, not " + blockSize);
        }
        if (n <= 0 || k <= 0) {
            throw refused(node, "N and K must be positive, not " + n + " and " + k);
        }
        if (node.intAttribute("weight_prepacked", 0) != 0) {
            throw refused(node, "weight_prepacked must be 0: other layouts are private to one device");
        }
        blocks = (k + blockSize - 1) / blockSize;
        boolean groups = node.inputs().size() > 4 && !node.inputs().get(4).isEmpty();
        quantise = request.precision() != Precision.EXACT && !groups;
    }

    static Kernel create(KernelRequest request, KernelPool pool) {
        return new MatMulNBitsKernel(request, pool);
    }

    private static OperatorException refused(Node node, String problem) {
        return new OperatorException(ErrorCode.UNSUPPORTED, node.operator(), node.name(), problem);
    }

    @Override
    public String variant() {
        return quantise ? "java int8 activations" : "java float";
    }

    @Override
    public void execute(KernelContext context) {
        Tensor a = context.input(0);
        Tensor b = context.input(1);
        if (a.rank() == 0 || a.dim(-1) != k) {
            throw Shapes.invalid("A " + a + " must end in K = " + k);
        }
        long[] shape = a.shape().clone();
        shape[shape.length - 1] = n;
        Tensor y = context.output(0, a.type(), shape);
        int rows = TensorIo.count(a) / k;
        Weights weights = b.elementCount() == 0 ? null : new Weights(context);
        if (weights != null && b.byteSize() < (long) n * blocks * blockSize * bits / 8) {
            throw Shapes.invalid("B " + b + " is too small for N = " + n + ", K = " + k + ", " + bits
                    + " bits in blocks of " + blockSize);
        }
        Tensor bias = context.hasInput(5) ? context.input(5) : null;
        Activations activations = new Activations(a, rows);
        pool.run((n + TILE - 1) / TILE, part -> {
            for (int row = 0; row < rows; row += ROWS) {
                tile(activations, weights, bias, y, part * TILE, row, Math.min(ROWS, rows - row));
            }
        });
    }

    /** All rows of A, as floats or as quantised integers in floats; padded to whole stretches. */
    private final class Activations {
        private final int stride = (k + STRETCH - 1) / STRETCH * STRETCH;
        private final int stretches = stride / STRETCH;
        private final float[] values;
        private final float[] scales;
        private final float[] sums;
        private final int[] codes;

        private Activations(Tensor a, int rows) {
            Work work = Work.mine();
            values = work.floats(0, rows * stride);
            scales = work.floats(1, rows * stretches);
            sums = work.floats(2, rows * stretches * (STRETCH / 16));
            codes = work.ints(0, quantise ? rows * stride : 0);
            for (int row = 0; row < rows; row++) {
                TensorIo.load(a, row * k, values, row * stride, k);
                Arrays.fill(values, row * stride + k, (row + 1) * stride, 0);
                if (quantise) {
                    quantise(row);
                }
            }
        }

        /** Sum of the quantised activations of a stretch or half of one. */
        private float total(int row, int start, int step) {
            int at = (row * stretches + start / STRETCH) * 2 + start % STRETCH / 16;
            return step == STRETCH ? sums[at] + sums[at + 1] : sums[at];
        }

        private void quantise(int row) {
            for (int s = 0; s < stretches; s++) {
                int start = row * stride + s * STRETCH;
                float max = 0;
                for (int j = 0; j < STRETCH; j++) {
                    max = Math.max(max, Math.abs(values[start + j]));
                }
                float inverse = max == 0 ? 0 : 127f / max;
                scales[row * stretches + s] = max / 127f;
                for (int half = 0; half < 2; half++) {
                    float sum = 0;
                    for (int j = half * 16; j < half * 16 + 16; j++) {
                        float q = (float) Math.rint(values[start + j] * inverse);
                        values[start + j] = q;
                        codes[start + j] = (int) q;
                        sum += q;
                    }
                    sums[(row * stretches + s) * 2 + half] = sum;
                }
            }
        }
    }

    /** The packed weights and what turns their codes into numbers. */
    private final class Weights {
        private final Tensor packed;
        private final Tensor scales;
        private final Tensor zeroPoints;
        private final int zeroPointStride = (blocks * bits + 7) / 8;
        private final int[] groups;

        private Weights(KernelContext context) {
            packed = context.input(1);
            scales = context.input(2);
            zeroPoints = context.hasInput(3) ? context.input(3) : null;
            groups = context.hasInput(4) ? groups(context.input(4)) : null;
        }

        private int[] groups(Tensor index) {
            return Arrays.stream(TensorIo.longs(index))
                    .mapToInt(Math::toIntExact)
                    .toArray();
        }

        private boolean floatZeroPoints() {
            return zeroPoints != null && zeroPoints.type() != DataType.UINT8;
        }

        private float zeroPoint(int column, int block) {
            if (zeroPoints == null) {
                return 1 << bits - 1;
            }
            if (zeroPoints.type() != DataType.UINT8) {
                return TensorIo.getFloat(zeroPoints, column * blocks + block);
            }
            int bit = block * bits;
            int octet = zeroPoints.bytes().get(column * zeroPointStride + bit / 8) & 0xff;
            return octet >> bit % 8 & (1 << bits) - 1;
        }
    }

    private void tile(Activations a, Weights weights, Tensor bias, Tensor y, int column, int row, int rows) {
        int width = Math.min(TILE, n - column);
        Work work = Work.mine();
        float[][] sums = work.floatRows(3, ROWS, TILE);
        for (int m = 0; m < rows; m++) {
            Arrays.fill(sums[m], 0, TILE, 0);
        }
        if (weights != null) {
            product(a, weights, column, width, row, rows, sums, work);
        }
        float[] addend = work.floats(4, TILE);
        if (bias != null) {
            TensorIo.load(bias, column, addend, 0, width);
        }
        for (int m = 0; m < rows; m++) {
            for (int j = 0; bias != null && j < width; j++) {
                sums[m][j] += addend[j];
            }
            TensorIo.store(sums[m], 0, y, (row + m) * n + column, width);
        }
    }

    private void product(
            Activations a, Weights weights, int column, int width, int row, int rows, float[][] sums, Work work) {
        int blob = blockSize * bits / 8;
        int rowBytes = blocks * blob;
        byte[] codes = work.bytes(0, width * rowBytes);
        weights.packed.bytes().get(column * rowBytes, codes, 0, width * rowBytes);
        float[] scales = work.floats(4, width * blocks);
        TensorIo.load(weights.scales, column * blocks, scales, 0, width * blocks);
        float[] zeros = work.floats(5, width * blocks);
        for (int j = 0; j < width; j++) {
            for (int block = 0; block < blocks; block++) {
                zeros[j * blocks + block] = weights.zeroPoint(column + j, block);
            }
        }
        boolean floatZeros = weights.floatZeroPoints();
        int step = Math.min(STRETCH, blockSize);
        float[][] tile = work.floatRows(6, STRETCH, TILE);
        float[] blockScales = work.floats(6, TILE);
        float[] blockZeros = work.floats(7, TILE);
        float[][] dots = work.floatRows(7, 1, TILE);
        boolean direct = quantise && rows <= DIRECT_ROWS && bits == 4;
        for (int start = 0; start < k; start += step) {
            int block = start / blockSize;
            int offset = block * blob + start % blockSize * bits / 8;
            for (int j = 0; j < width; j++) {
                blockScales[j] = scales[j * blocks + block];
                blockZeros[j] = zeros[j * blocks + block];
            }
            if (!direct) {
                unpack(codes, rowBytes, offset, step, width, tile);
                if (!quantise) {
                    scale(tile, scales, zeros, blockScales, blockZeros, weights.groups, start, step, width);
                } else if (!floatZeros) {
                    subtract(tile, blockZeros, step);
                }
            }
            for (int m = 0; m < rows; m++) {
                if (!quantise) {
                    TileMath.accumulate(a.values, (row + m) * a.stride + start, step, tile, sums[m]);
                    continue;
                }
                if (direct) {
                    directDots(a.codes, (row + m) * a.stride + start, step, codes, rowBytes, offset, width, dots[0]);
                } else {
                    Arrays.fill(dots[0], 0, TILE, 0);
                    TileMath.accumulate(a.values, (row + m) * a.stride + start, step, tile, dots[0]);
                }
                if (direct || floatZeros) {
                    shift(dots[0], blockZeros, a.total(row + m, start, step));
                }
                addScaled(dots[0], a.scales[(row + m) * a.stretches + start / STRETCH], blockScales, sums[m]);
            }
        }
    }

    /** Codes of {@code step} weights of each column as floats, one line of the tile for each k. */
    private void unpack(byte[] codes, int rowBytes, int offset, int step, int width, float[][] tile) {
        int perByte = 8 / bits;
        int mask = (1 << bits) - 1;
        for (int i = 0; i < step; i++) {
            float[] line = tile[i];
            int from = offset + i / perByte;
            int shift = i % perByte * bits;
            for (int j = 0; j < width; j++) {
                line[j] = codes[j * rowBytes + from] >> shift & mask;
            }
            Arrays.fill(line, width, TILE, 0);
        }
    }

    /** Dot products of quantised activations with 4-bit codes, without a tile: cheaper for few rows, and as exact. */
    private static void directDots(
            int[] a, int from, int step, byte[] codes, int rowBytes, int offset, int width, float[] dots) {
        for (int j = 0; j < width; j++) {
            int at = j * rowBytes + offset;
            int even = 0;
            int odd = 0;
            for (int i = 0; i < step; i += 2) {
                int octet = codes[at + (i >> 1)];
                even += a[from + i] * (octet & 15);
                odd += a[from + i + 1] * (octet >> 4 & 15);
            }
            dots[j] = even + odd;
        }
        Arrays.fill(dots, width, TILE, 0);
    }

    private static void subtract(float[][] tile, float[] zeros, int step) {
        for (int i = 0; i < step; i++) {
            float[] line = tile[i];
            for (int j = 0; j < TILE; j++) {
                line[j] -= zeros[j];
            }
        }
    }

    private static void shift(float[] dots, float[] zeros, float total) {
        for (int j = 0; j < TILE; j++) {
            dots[j] -= zeros[j] * total;
        }
    }

    private static void addScaled(float[] dots, float scale, float[] blockScales, float[] sums) {
        for (int j = 0; j < TILE; j++) {
            sums[j] += dots[j] * (scale * blockScales[j]);
        }
    }

    private void scale(
            float[][] tile,
            float[] scales,
            float[] zeros,
            float[] blockScales,
            float[] blockZeros,
            int[] groups,
            int start,
            int step,
            int width) {
        for (int i = 0; i < step; i++) {
            if (groups != null && start + i < groups.length) {
                for (int j = 0; j < width; j++) {
                    blockScales[j] = scales[j * blocks + groups[start + i]];
                    blockZeros[j] = zeros[j * blocks + groups[start + i]];
                }
            }
            float[] line = tile[i];
            for (int j = 0; j < TILE; j++) {
                line[j] = (line[j] - blockZeros[j]) * blockScales[j];
            }
        }
    }
}
