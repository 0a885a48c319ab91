package io.kindling.engine.cpu.simd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kindling.engine.cpu.OneNode;
import io.kindling.engine.error.KindlingException;
import io.kindling.engine.ir.Attribute;
import io.kindling.engine.provider.Precision;
import io.kindling.engine.provider.Provider;
import io.kindling.engine.provider.Tensor;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Convolutions, poolings and activations of every instruction set this machine runs, against the reference kernels. */
class NativeWindowTest extends NativeLevels {
    private static final String COLUMNS = " columns";
    private static final String PLANES = " planes";

    /** Images, and the attributes of a window over them. */
    private record Case(String path, long[] x, long[] w, long group, String... attributes) {
        OneNode node(String domain, String opType, long opset) {
            OneNode node = OneNode.of(domain, opset, opType).with("group", group);
            for (String attribute : attributes) {
                String[] parts = attribute.split("=");
                node.with(parts[0], value(parts[1]));
            }
            return node;
        }
    }

    private static Attribute value(String text) {
        return Character.isLetter(text.charAt(0))
                ? Attribute.of(text)
                : Attribute.of(Arrays.stream(text.split(","))
                        .mapToLong(Long::parseLong)
                        .toArray());
    }

    private static long[] shape(long... sizes) {
        return sizes;
    }

    private static final List<Case> CONVOLUTIONS = List.of(
            new Case(COLUMNS, shape(1, 3, 4, 5), shape(2, 3, 1, 1), 1),
            new Case(COLUMNS, shape(2, 17, 9, 31), shape(33, 17, 1, 1), 1),
            new Case(COLUMNS, shape(1, 5, 17, 33), shape(7, 5, 3, 3), 1, "pads=1,1,1,1"),
            new Case(COLUMNS, shape(2, 4, 19, 40), shape(6, 2, 3, 3), 2, "pads=1,0,2,1", "strides=2,2"),
            new Case(COLUMNS, shape(1, 4, 20, 23), shape(8, 4, 3, 2), 1, "dilations=2,3", "strides=1,3"),
            new Case(COLUMNS, shape(1, 3, 30, 37), shape(16, 3, 7, 7), 1, "pads=3,3,3,3", "strides=2,2"),
            new Case(COLUMNS, shape(1, 6, 11, 13), shape(9, 2, 3, 3), 3, "auto_pad=SAME_UPPER", "strides=2,2"),
            new Case(COLUMNS, shape(1, 6, 12, 13), shape(4, 6, 2, 2), 1, "auto_pad=SAME_LOWER"),
            new Case(COLUMNS, shape(1, 2, 12, 13), shape(4, 2, 5, 5), 1, "auto_pad=VALID"),
            new Case(COLUMNS, shape(1, 1, 8, 8), shape(20, 1, 3, 3), 1, "pads=4,4,4,4"),
            new Case(COLUMNS, shape(1, 300, 1, 1), shape(70, 300, 1, 1), 1),
            new Case(COLUMNS, shape(2, 40, 29), shape(80, 40, 3), 1, "pads=1,1"),
            new Case(COLUMNS, shape(1, 1, 400), shape(32, 1, 10), 1, "strides=5"),
            // A padded copy would take gigabytes.
            new Case(COLUMNS, shape(1, 2, 2, 2), shape(2, 1, 1, 1), 2, "pads=9999,9999,9999,9999", "strides=5000,5000"),
            new Case(PLANES, shape(2, 5, 13, 21), shape(5, 1, 3, 3), 5, "pads=1,1,1,1"),
            new Case(PLANES, shape(1, 5, 16, 70), shape(10, 1, 5, 5), 5, "pads=2,2,2,2", "strides=2,2"),
            new Case(PLANES, shape(1, 3, 9, 50), shape(3, 1, 3, 3), 3, "strides=2,1", "dilations=2,2"),
            new Case(PLANES, shape(1, 3, 9, 100), shape(3, 1, 2, 4), 3, "strides=1,3", "pads=0,9,1,0"),
            new Case(PLANES, shape(1, 4, 2, 3), shape(4, 1, 5, 5), 4, "auto_pad=SAME_UPPER"),
            new Case(PLANES, shape(2, 6, 35), shape(6, 1, 4), 6, "pads=3,0"));

    /** On tiles; elsewhere nothing changes. */
    @ParameterizedTest
    @MethodSource("levels")
    void theFastestProductsRoundTheirOperands(String level) {
        Tensor x = tensor(1, 2, 6, 17, 21);
        Tensor w = tensor(2, 40, 6, 3, 3);
        OneNode node = OneNode.of("", 11, "Conv").precision(Precision.FAST);
        boolean rounds = level.equals("amx");
        String variant = "native " + level + COLUMNS + (rounds ? " rounded" : "");
        equalToReference(variant, level, node, 3e-4, x, w);
        float[] fast = OneNode.floats(run(variant, level, node, x, w).get(0));
        float[] usual = OneNode.floats(run("native " + level + COLUMNS, level, OneNode.of("", 11, "Conv"), x, w)
                .get(0));
        assertThat(Arrays.equals(fast, usual)).isEqualTo(!rounds);
    }

    private static Tensor tensor(int seed, long... shape) {
        float[] values = gaussians(seed, (int) Tensor.count(shape));
        for (int i = 0; i < values.length; i++) {
            values[i] /= 10;
        }
        return Tensor.ofFloats(shape, values);
    }

    @ParameterizedTest
    @MethodSource("levels")
    void convolutions(String level) {
        for (Case test : CONVOLUTIONS) {
            String variant = "native " + level + test.path;
            Tensor x = tensor(1, test.x);
            Tensor w = tensor(2, test.w);
            OneNode node = test.node("", "Conv", 22);
            equalToReference(variant, level, node, 2e-5, x, w);
            Tensor bias = tensor(3, test.w[0]);
            equalToReference(variant, level, node, 2e-5, x, w, bias);
            Tensor sum = tensor(4, node.run(x, w).shape());
            OneNode fused = test.node("com.microsoft", "FusedConv", 1).with("activation", Attribute.of("LeakyRelu"));
            fused.with("activation_params", new Attribute.FloatsValue(new float[] {0.3f}));
            equalToReference(variant, level, fused, 2e-5, x, w, bias, sum);
        }
    }

    @ParameterizedTest
    @MethodSource("levels")
    void transposedConvolutions(String level) {
        for (Case test : List.of(
                new Case("", shape(2, 5, 6, 17), shape(5, 3, 2, 2), 1, "strides=2,2"),
                new Case("", shape(1, 4, 7, 5), shape(4, 2, 3, 3), 2, "strides=2,2", "pads=1,1,1,1"),
                new Case("", shape(1, 4, 5, 6), shape(4, 1, 4, 3), 4, "strides=3,1", "dilations=2,2", "pads=2,0,1,3"),
                new Case("", shape(1, 2, 5, 6), shape(2, 3, 3, 3), 1, "strides=2,3", "output_padding=1,2"),
                new Case("", shape(1, 2, 5, 6), shape(2, 3, 3, 3), 1, "strides=2,2", "output_shape=10,12"),
                new Case("", shape(1, 2, 5, 6), shape(2, 3, 3, 4), 1, "strides=2,2", "auto_pad=SAME_UPPER"),
                new Case("", shape(1, 2, 3, 3), shape(2, 3, 1, 1), 1, "strides=4,4", "pads=0,1,0,2"),
                new Case("", shape(2, 20, 33), shape(20, 18, 8), 1, "strides=4", "pads=2,2"))) {
            OneNode node = test.node("", "ConvTranspose", 22);
            equalToReference(level, node, 2e-5, tensor(1, test.x), tensor(2, test.w));
            Tensor bias = tensor(3, test.w[1] * test.group);
            equalToReference(level, node, 2e-5, tensor(1, test.x), tensor(2, test.w), bias);
        }
        Tensor x = tensor(1, 1, 2, 3, 4, 5);
        equalToReference("java", level, OneNode.of("", 22, "ConvTranspose"), 0, x, tensor(2, 2, 3, 2, 2, 2));
    }

    @ParameterizedTest
    @MethodSource("levels")
    void whatTheReferenceHasToDo(String level) {
        Tensor x = tensor(1, 1, 2, 4, 5, 6);
        Tensor w = tensor(2, 3, 2, 2, 2, 2);
        equalToReference("java", level, OneNode.of("", 22, "Conv"), 0, x, w);
        OneNode fused = OneNode.of("com.microsoft", 1, "FusedConv").with("activation", Attribute.of("Softsign"));
        equalToReference("java", level, fused, 0, tensor(1, 1, 2, 4, 5), tensor(2, 3, 2, 2, 2));
        OneNode volume = OneNode.of("", 22, "MaxPool").with("kernel_shape", Attribute.of(2, 2, 2));
        equalToReference("java", level, volume, 0, x);
        OneNode indices = OneNode.of("", 22, "MaxPool")
                .with("kernel_shape", Attribute.of(2, 2))
                .outputs(2);
        equalToReference("java", level, indices, 0, tensor(1, 1, 2, 4, 5));
    }

    @ParameterizedTest
    @MethodSource("levels")
    void poolings(String level) {
        for (String opType : List.of("MaxPool", "AveragePool")) {
            for (Case test : List.of(
                    new Case("", shape(2, 3, 9, 21), shape(), 1, "kernel_shape=3,3", "pads=1,1,1,1", "strides=2,2"),
                    new Case("", shape(1, 3, 8, 33), shape(), 1, "kernel_shape=2,2", "ceil_mode=1", "strides=3,2"),
                    new Case("", shape(1, 2, 7, 7), shape(), 1, "kernel_shape=7,7"),
                    new Case("", shape(1, 2, 17, 18), shape(), 1, "kernel_shape=3,2", "dilations=2,3"),
                    new Case("", shape(1, 2, 17, 18), shape(), 1, "kernel_shape=2,3", "auto_pad=SAME_LOWER"),
                    new Case("", shape(3, 2, 50), shape(), 1, "kernel_shape=5", "strides=4", "pads=2,2"))) {
                OneNode node = test.node("", opType, 22);
                if (test.attributes.length > 1 && test.attributes[1].equals("ceil_mode=1")) {
                    node.with("ceil_mode", 1);
                }
                equalToReference(level, node, 1e-6, tensor(5, test.x));
                if (opType.equals("AveragePool")) {
                    equalToReference(level, node.with("count_include_pad", 1), 1e-6, tensor(5, test.x));
                }
            }
        }
        for (int size : new int[] {1, 15, 16, 63, 64, 200}) {
            equalToReference(level, OneNode.of("", 22, "GlobalAveragePool"), 1e-6, tensor(6, 2, 3, size, 3));
        }
    }

    @ParameterizedTest
    @MethodSource("levels")
    void meansOfTheLastAxesAreNative(String level) {
        OneNode attribute = OneNode.of("", 13, "ReduceMean").with("axes", Attribute.of(-1, 2));
        OneNode dropping =
                OneNode.of("", 13, "ReduceMean").with("axes", Attribute.of(3L)).with("keepdims", 0);
        OneNode input = OneNode.of("", 18, "ReduceMean");
        for (int size : new int[] {1, 15, 16, 63, 200}) {
            Tensor x = tensor(8, 2, 3, size, 5);
            equalToReference(level, attribute, 1e-6, x);
            equalToReference(level, dropping, 1e-6, x);
            equalToReference(level, input, 1e-6, x, Tensor.ofLongs(new long[] {3}, 1, 2, 3));
            equalToReference(level, input, 1e-6, x);
            equalToReference("java", level, input, 0, x, Tensor.ofLongs(new long[] {2}, 1, 3));
        }
    }

    @ParameterizedTest
    @MethodSource("levels")
    void aNumberThatIsNoneIsTheLargest(String level) {
        float[] values = gaussians(7, 60);
        values[7] = Float.NaN;
        values[40] = Float.NEGATIVE_INFINITY;
        OneNode node = OneNode.of("", 22, "MaxPool").with("kernel_shape", Attribute.of(3, 3));
        equalToReference(level, node, 0, Tensor.ofFloats(shape(1, 1, 6, 10), values));
    }

    @ParameterizedTest
    @MethodSource("levels")
    void aWindowInThePaddingAloneIsRefused(String level) {
        OneNode node = OneNode.of("", 22, "MaxPool")
                .with("kernel_shape", Attribute.of(2, 2))
                .with("pads", Attribute.of(2, 0, 0, 0));
        try (Provider provider = OneNode.provider(1, new NativeBackend(level))) {
            assertThatThrownBy(() -> node.runOn(provider, tensor(1, 1, 1, 4, 4)))
                    .isInstanceOf(KindlingException.class)
                    .hasMessageContaining("lies in the padding alone");
        }
    }

    /** Results do not depend on how a job is split. */
    @ParameterizedTest
    @MethodSource("levels")
    void anyNumberOfThreadsGivesTheSameBits(String level) {
        Tensor x = tensor(1, 2, 40, 30, 31);
        Tensor w = tensor(2, 70, 40, 3, 3);
        OneNode node = OneNode.of("", 22, "Conv").with("pads", Attribute.of(1, 1, 1, 1));
        float[] two = OneNode.floats(
                run("native " + level + COLUMNS, level, node, x, w).get(0));
        try (Provider provider = OneNode.provider(5, new NativeBackend(level))) {
            assertThat(OneNode.floats(node.runOn(provider, x, w).get(0))).isEqualTo(two);
        }
    }

    @ParameterizedTest
    @MethodSource("levelsAndSizes")
    void activations(String level, int size) {
        float[] x = gaussians(9, 3 * size);
        x[0] = -0.0f;
        x[x.length / 2] = Float.NaN;
        x[x.length - 1] = Float.POSITIVE_INFINITY;
        Tensor a = Tensor.ofFloats(new long[] {3, size}, x);
        Tensor low = Tensor.ofFloats(new long[0], -2f);
        Tensor high = Tensor.ofFloats(new long[0], 3f);
        equalToReference(level, OneNode.of("", 13, "Clip"), 0, a, low, high);
        equalToReference(level, OneNode.of("", 13, "Clip"), 0, a, high, low);
        equalToReference(level, OneNode.of("", 13, "Clip"), 0, a, null, high);
        equalToReference(level, OneNode.of("", 6, "Clip").with("max", new Attribute.FloatValue(1)), 0, a);
        equalToReference(level, OneNode.of("", 22, "HardSigmoid"), 2e-7, a);
        equalToReference(
                level, OneNode.of("", 22, "HardSigmoid").with("alpha", new Attribute.FloatValue(0.5f)), 2e-7, a);
        equalToReference(level, OneNode.of("", 22, "HardSwish"), 3e-7, a);
        equalToReference(level, OneNode.of("", 16, "LeakyRelu"), 0, a);
        equalToReference(level, OneNode.of("com.microsoft", 1, "QuickGelu"), 1e-6, a);
    }
}
