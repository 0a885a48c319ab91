package io.kindling.engine.cpu.simd;

import io.kindling.engine.cpu.OneNode;
import io.kindling.engine.ir.Attribute;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.provider.Tensor;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Kernels on bytes over random shapes, types, attributes and zero points, the same ones in each run: the very bits of the reference. */
class NativeIntegerCasesTest extends IntegerLevels {
    private static final int CASES = 60;

    /** A case, which its number decides. */
    private static final class Case {
        private final Random random;
        private final int seed;

        Case(int seed) {
            this.seed = seed;
            random = new Random(seed * 1000003L);
        }

        int from(int low, int high) {
            return low + random.nextInt(high - low + 1);
        }

        boolean coin() {
            return random.nextBoolean();
        }

        DataType type() {
            return coin() ? DataType.UINT8 : DataType.INT8;
        }

        Tensor bytes(DataType type, long... shape) {
            return IntegerLevels.bytes(type, seed + random.nextInt(100), shape);
        }

        /** None, one for all, or {@code count}. */
        Tensor zeros(DataType type, int count) {
            int kind = from(0, 2);
            return kind == 0 ? null : kind == 1 ? bytes(type) : bytes(type, count);
        }

        Tensor scales(int count) {
            return IntegerLevels.scales(seed, coin() ? 1 : count);
        }

        long[] each(int rank, int low, int high) {
            return IntStream.range(0, rank).mapToLong(i -> from(low, high)).toArray();
        }

        /** Some of the dimensions, of which any may repeat. */
        long[] stack(long[] dimensions) {
            long[] stack = Arrays.copyOfRange(dimensions, from(0, dimensions.length), dimensions.length);
            Arrays.setAll(stack, i -> from(0, 3) == 0 ? 1 : stack[i]);
            return stack;
        }
    }

    private static long[] with(long[] shape, long... more) {
        long[] all = Arrays.copyOf(shape, shape.length + more.length);
        System.arraycopy(more, 0, all, shape.length, more.length);
        return all;
    }

    private static OneNode constant(OneNode node, boolean constant, int input) {
        return constant ? node.constants(input) : node;
    }

    @ParameterizedTest
    @MethodSource("levels")
    void productsOfStacks(String level) {
        for (int seed = 0; seed < CASES; seed++) {
            Case some = new Case(seed);
            int m = some.from(1, 40);
            int k = some.from(1, 150);
            int n = some.from(1, 70);
            long[] stacks = some.each(some.from(0, 2), 1, 3);
            DataType left = some.type();
            DataType right = some.type();
            Tensor a = some.bytes(left, with(some.stack(stacks), m, k));
            boolean constant = some.coin();
            Tensor b = some.bytes(right, with(constant ? new long[0] : some.stack(stacks), k, n));
            Tensor zeroA = some.zeros(left, a.rank() == 2 && b.rank() == 2 ? m : 1);
            Tensor zeroB = some.zeros(right, n);
            OneNode node = constant(OneNode.of("", 17, "MatMulInteger"), constant, 1);
            sameAsReference(level, constant ? " packed" : "", node, a, b, zeroA, zeroB);
        }
    }

    @ParameterizedTest
    @MethodSource("levels")
    void requantisedProducts(String level) {
        for (int seed = 0; seed < CASES; seed++) {
            Case some = new Case(seed);
            int m = some.from(1, 40);
            int k = some.from(1, 150);
            int n = some.from(1, 70);
            DataType left = some.type();
            DataType right = some.type();
            DataType target = some.type();
            boolean constant = some.coin();
            boolean turnA = some.coin();
            boolean turnB = some.coin();
            Tensor a = some.bytes(left, turnA ? k : m, turnA ? m : k);
            Tensor b = some.bytes(right, turnB ? n : k, turnB ? k : n);
            Tensor c = some.coin() ? null : ints(seed, some.coin() ? 1 : m, some.coin() ? 1 : n);
            OneNode node = OneNode.of("com.microsoft", 1, "QGemm")
                    .with("transA", turnA ? 1 : 0)
                    .with("transB", turnB ? 1 : 0)
                    .with("alpha", Attribute.of(some.from(1, 5) / 4f));
            Tensor one = some.scales(1);
            Tensor scaleY = some.coin() ? null : floats(new long[0], some.from(1, 9));
            Tensor zeroY = scaleY == null || some.coin() ? null : some.bytes(target);
            sameAsReference(
                    level,
                    constant ? " packed" : "",
                    constant(node, constant, 3),
                    a,
                    one,
                    some.bytes(left),
                    b,
                    some.scales(n),
                    some.bytes(right, some.coin() ? 1 : n),
                    c,
                    scaleY,
                    zeroY);
        }
    }

    @ParameterizedTest
    @MethodSource("levels")
    void convolutions(String level) {
        for (int seed = 0; seed < CASES; seed++) {
            Case some = new Case(seed);
            int rank = some.from(1, 2);
            int groups = some.from(1, 3);
            int channels = some.from(1, 5);
            int filters = groups * some.from(1, 20);
            DataType left = some.type();
            DataType right = some.type();
            long[] kernel = some.each(rank, 1, 3);
            boolean same = some.from(0, 4) == 0;
            Tensor x = some.bytes(left, with(new long[] {some.from(1, 2), groups * channels}, some.each(rank, 5, 21)));
            Tensor w = some.bytes(right, with(new long[] {filters, channels}, kernel));
            boolean constant = some.coin();
            boolean sums = some.coin();
            OneNode node = OneNode.of("", 10, sums ? "ConvInteger" : "QLinearConv")
                    .with("group", groups)
                    .with("strides", Attribute.of(some.each(rank, 1, 3)))
                    .with("dilations", Attribute.of(some.each(rank, 1, 2)));
            node = same
                    ? node.with("auto_pad", Attribute.of("SAME_UPPER"))
                    : node.with("pads", Attribute.of(some.each(2 * rank, 0, 3)));
            String way = constant ? " packed" : "";
            Tensor zeroW = some.bytes(right, some.coin() ? 1 : filters);
            if (sums) {
                sameAsReference(level, way, constant(node, constant, 1), x, w, some.zeros(left, 1), zeroW);
            } else {
                Tensor bias = some.coin() ? null : ints(seed, filters);
                Tensor scaleY = floats(new long[0], some.from(1, 9));
                Tensor zeroY = some.bytes(some.type());
                Tensor one = some.scales(1);
                Tensor zero = some.bytes(left);
                sameAsReference(
                        level,
                        way,
                        constant(node, constant, 3),
                        x,
                        one,
                        zero,
                        w,
                        some.scales(filters),
                        zeroW,
                        scaleY,
                        zeroY,
                        bias);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("levels")
    void quantisationOfOddNumbers(String level) {
        float[] odd = {Float.NaN, Float.POSITIVE_INFINITY, -Float.MAX_VALUE, Float.MIN_VALUE, -0.0f, 1e30f, 0.5f, -2.5f
        };
        for (int seed = 0; seed < CASES; seed++) {
            Case some = new Case(seed);
            long[] shape = some.each(some.from(0, 4), 0, 9);
            int count = (int) Tensor.count(shape);
            float[] values = gaussians(seed, count);
            for (int i = 0; i < count; i += 5) {
                values[i] = odd[some.from(0, odd.length - 1)];
            }
            DataType type = some.type();
            int axis = shape.length == 0 ? 0 : some.from(-shape.length, shape.length - 1);
            boolean single = shape.length == 0 || count == 0 || some.coin();
            int scaleCount = single ? 1 : (int) shape[axis < 0 ? axis + shape.length : axis];
            float[] scales = gaussians(seed + 1, scaleCount);
            scales[0] = seed % 7 == 0 ? 0 : seed % 5 == 0 ? Float.MIN_NORMAL : scales[0];
            Tensor scale = floats(single ? new long[0] : new long[] {scaleCount}, scales);
            Tensor zero = some.coin() ? null : some.bytes(type, scale.shape());
            OneNode quantize = OneNode.of("", 19, "QuantizeLinear").with("axis", axis);
            sameAsReference(level, "", quantize, floats(shape, values), scale, zero);
            OneNode dequantize = OneNode.of("", 19, "DequantizeLinear").with("axis", axis);
            sameAsReference(level, "", dequantize, some.bytes(type, shape), scale, zero);
        }
    }
}
