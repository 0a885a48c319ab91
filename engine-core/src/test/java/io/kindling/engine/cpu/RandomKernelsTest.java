package io.kindling.engine.cpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.kindling.engine.ir.Attribute;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Graph;
import io.kindling.engine.ir.Node;
import io.kindling.engine.ir.OnnxModel;
import io.kindling.engine.ir.ValueInfo;
import io.kindling.engine.ir.ValueType;
import io.kindling.engine.provider.Precision;
import io.kindling.engine.provider.Provider;
import io.kindling.engine.provider.Tensor;
import io.kindling.engine.provider.Value;
import io.kindling.engine.session.GraphSession;
import io.kindling.engine.session.SessionOptions;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random operators by the moments and frequencies of what they draw. Bounds are five standard errors of the statistic, and the numbers
 * are the same in every run of the test.
 */
class RandomKernelsTest {
    private static final int COUNT = 40_000;

    @ParameterizedTest
    @EnumSource(names = {"FLOAT", "DOUBLE", "FLOAT16", "BFLOAT16"})
    void uniformNumbersFillTheirRangeEvenly(DataType type) {
        double[] drawn = drawn(OneNode.of("", 22, "RandomUniform")
                .with("dtype", type.code())
                .with("shape", Attribute.of(COUNT, 1L))
                .with("low", Attribute.of(-2f))
                .with("high", Attribute.of(6f)));
        assertThat(Arrays.stream(drawn).min().orElseThrow()).isBetween(-2.0, -1.9);
        assertThat(Arrays.stream(drawn).max().orElseThrow()).isBetween(5.9, 6.0);
        double deviation = 8 / Math.sqrt(12);
        assertThat(mean(drawn)).isCloseTo(2, within(5 * deviation / Math.sqrt(COUNT) + rounding(type)));
        for (int eighth = 0; eighth < 8; eighth++) {
            double low = -2 + eighth;
            long inside =
                    Arrays.stream(drawn).filter(x -> x >= low && x < low + 1).count();
            assertThat((double) inside / COUNT)
                    .as("share from %s", low)
                    .isCloseTo(0.125, within(5 * Math.sqrt(0.125 * 0.875 / COUNT) + rounding(type)));
        }
    }

    /** How far rounding to the type may move a mean or the border of a class. */
    private static double rounding(DataType type) {
        return type == DataType.BFLOAT16 ? 0.02 : type == DataType.FLOAT16 ? 0.002 : 0;
    }

    @ParameterizedTest
    @EnumSource(names = {"FLOAT", "DOUBLE"})
    void normalNumbersHaveTheMomentsAndTailsOfTheNormalDistribution(DataType type) {
        double[] drawn = drawn(OneNode.of("", 22, "RandomNormal")
                .with("dtype", type.code())
                .with("shape", Attribute.of(COUNT, 1L))
                .with("mean", Attribute.of(3f))
                .with("scale", Attribute.of(0.5f)));
        double[] unit = Arrays.stream(drawn).map(x -> (x - 3) / 0.5).toArray();
        assertThat(mean(unit)).isCloseTo(0, within(5 / Math.sqrt(COUNT)));
        assertThat(power(unit, 2)).isCloseTo(1, within(5 * Math.sqrt(2.0 / COUNT)));
        assertThat(power(unit, 3)).isCloseTo(0, within(5 * Math.sqrt(15.0 / COUNT)));
        assertThat(power(unit, 4)).isCloseTo(3, within(5 * Math.sqrt(96.0 / COUNT)));
        // Shares below −2, −1, 0, 1 and 2 from a table of the normal distribution.
        double[] shares = {0.02275, 0.15866, 0.5, 0.84134, 0.97725};
        for (int k = 0; k < shares.length; k++) {
            int border = k - 2;
            double below = Arrays.stream(unit).filter(x -> x < border).count() / (double) COUNT;
            assertThat(below)
                    .as("share below %s", border)
                    .isCloseTo(shares[k], within(5 * Math.sqrt(shares[k] * (1 - shares[k]) / COUNT)));
        }
    }

    @Test
    void likeOperatorsTakeShapeAndTypeOfTheirInput() {
        Tensor like = Tensor.allocateHost(DataType.DOUBLE, 2, 3);
        for (String operator : List.of("RandomUniformLike", "RandomNormalLike")) {
            assertThat(OneNode.of("", 22, operator).run(like)).hasToString("double[2, 3]");
            assertThat(OneNode.of("", 22, operator)
                            .with("dtype", DataType.FLOAT16.code())
                            .run(like))
                    .hasToString("float16[2, 3]");
        }
    }

    @ParameterizedTest
    @ValueSource(floats = {0, 0.1f, 0.5f, 0.93f, 1})
    void bernoulliDrawsOnesAsOftenAsItsInputSays(float probability) {
        float[] probabilities = new float[COUNT];
        Arrays.fill(probabilities, probability);
        Tensor drawn = OneNode.of("", 22, "Bernoulli")
                .with("dtype", DataType.BOOL.code())
                .run(Tensor.ofFloats(new long[] {COUNT}, probabilities));
        assertThat(drawn.type()).isEqualTo(DataType.BOOL);
        double share = Arrays.stream(OneNode.longs(drawn)).sum() / (double) COUNT;
        assertThat(share).isCloseTo(probability, within(5 * Math.sqrt(probability * (1 - probability) / COUNT)));
    }

    @Test
    void multinomialDrawsClassesByTheSoftmaxOfTheirLogits() {
        float[][] probabilities = {{0.5f, 0.3f, 0.15f, 0.05f}, {0.25f, 0.25f, 0.25f, 0.25f}};
        Tensor logits = Tensor.allocateHost(DataType.FLOAT, 2, 4);
        for (int k = 0; k < 8; k++) {
            // Logits are defined up to a number that all of a row share.
            logits.floats().put(k, (float) Math.log(probabilities[k / 4][k % 4]) + k / 4 * 100);
        }
        Tensor drawn = OneNode.of("", 22, "Multinomial")
                .with("sample_size", COUNT)
                .with("dtype", DataType.INT64.code())
                .run(logits);
        assertThat(drawn).hasToString("int64[2, " + COUNT + "]");
        long[] classes = OneNode.longs(drawn);
        for (int row = 0; row < 2; row++) {
            for (int kind = 0; kind < 4; kind++) {
                int wanted = kind;
                double share = Arrays.stream(classes, row * COUNT, (row + 1) * COUNT)
                                .filter(c -> c == wanted)
                                .count()
                        / (double) COUNT;
                double p = probabilities[row][kind];
                assertThat(share)
                        .as("row %s class %s", row, kind)
                        .isCloseTo(p, within(5 * Math.sqrt(p * (1 - p) / COUNT)));
            }
        }
    }

    @Test
    void dropoutInTrainingDropsItsRatioAndScalesTheRest() {
        float[] ones = new float[COUNT];
        Arrays.fill(ones, 1);
        List<Value> results = OneNode.of("", 22, "Dropout")
                .outputs(2)
                .runAll(Tensor.ofFloats(new long[] {COUNT}, ones), Tensor.ofFloats(new long[0], 0.3f), yes());
        float[] data = OneNode.floats(results.get(0));
        long[] mask = OneNode.longs(results.get(1));
        for (int k = 0; k < COUNT; k++) {
            assertThat(data[k]).isEqualTo(mask[k] == 1 ? 1 / 0.7f : 0, within(1e-6f));
        }
        assertThat(Arrays.stream(mask).sum() / (double) COUNT).isCloseTo(0.7, within(5 * Math.sqrt(0.21 / COUNT)));
    }

    private static Tensor yes() {
        Tensor yes = Tensor.allocateHost(DataType.BOOL);
        yes.bytes().put(0, (byte) 1);
        return yes;
    }

    @Test
    void theSessionsSeedDecidesWhereTheNodeHasNone() {
        assertThat(twoNodes(1, Map.of())).isEqualTo(twoNodes(1, Map.of()));
        assertThat(twoNodes(1, Map.of())).isNotEqualTo(twoNodes(2, Map.of()));
        float[] drawn = twoNodes(1, Map.of());
        assertThat(Arrays.copyOf(drawn, 50)).isNotEqualTo(Arrays.copyOfRange(drawn, 50, 100));
    }

    @Test
    void aNodesOwnSeedDecidesAlone() {
        Map<String, Attribute> seeded = Map.of("seed", Attribute.of(7f));
        assertThat(twoNodes(1, seeded)).isEqualTo(twoNodes(2, seeded));
        assertThat(twoNodes(1, seeded)).isNotEqualTo(twoNodes(1, Map.of("seed", Attribute.of(8f))));
    }

    /** 50 numbers of each of two RandomUniform nodes. */
    private static float[] twoNodes(long sessionSeed, Map<String, Attribute> seed) {
        Graph.Builder graph = Graph.builder("random");
        for (String name : List.of("a", "b")) {
            Map<String, Attribute> attributes = new HashMap<>(seed);
            attributes.put("shape", Attribute.of(50L, 1L));
            graph.nodes().add(new Node(name, "", "RandomUniform", List.of(), List.of(name), attributes));
            graph.outputs().add(new ValueInfo(name, ValueType.UNKNOWN));
        }
        OnnxModel model = new OnnxModel("test", 10, Map.of("", 22L), graph.build(), List.of(), Map.of());
        float[] both = new float[100];
        try (Provider provider = OneNode.javaProvider(1);
                GraphSession session =
                        GraphSession.create(model, provider, new SessionOptions(Precision.EXACT, sessionSeed))) {
            Map<String, Value> results = session.run(Map.of());
            System.arraycopy(OneNode.floats(results.get("a")), 0, both, 0, 50);
            System.arraycopy(OneNode.floats(results.get("b")), 0, both, 50, 50);
        }
        return both;
    }

    private static double[] drawn(OneNode node) {
        Tensor tensor = node.run();
        double[] values = new double[(int) tensor.elementCount()];
        TensorIo.load(tensor, 0, values, 0, values.length);
        return values;
    }

    private static double mean(double[] values) {
        return power(values, 1);
    }

    private static double power(double[] values, int exponent) {
        return Arrays.stream(values).map(x -> Math.pow(x, exponent)).average().orElseThrow();
    }
}
