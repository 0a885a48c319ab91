package io.kindling.engine.optimize;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.kindling.engine.cpu.OneNode;
import io.kindling.engine.cpu.simd.NativeBackend;
import io.kindling.engine.ir.Dimension;
import io.kindling.engine.ir.Graph;
import io.kindling.engine.ir.Node;
import io.kindling.engine.ir.OnnxModel;
import io.kindling.engine.ir.TensorData;
import io.kindling.engine.ir.ValueInfo;
import io.kindling.engine.ir.ValueType.TensorType;
import io.kindling.engine.provider.Provider;
import io.kindling.engine.provider.Tensor;
import io.kindling.engine.provider.Value;
import io.kindling.engine.session.GraphSession;
import io.kindling.engine.session.SessionOptions;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** A graph with typed inputs, run as it is and as a pass leaves it, on Java and on native kernels. */
final class FusionCase {
    private final Graph.Builder graph;
    private final Map<String, Tensor> values = new LinkedHashMap<>();
    private final Random random = new Random(7);
    private final long opset;

    FusionCase(long opset, String outputs, Node... nodes) {
        this.opset = opset;
        graph = Graphs.graph("", outputs, nodes).toBuilder();
    }

    /**
     * An input.
     *
     * @param sizes as the file declares them: numbers, symbols, or {@code ?}
     */
    FusionCase input(String name, String sizes, Tensor value) {
        List<Dimension> shape =
                Graphs.names(sizes).stream().map(FusionCase::dimension).toList();
        graph.inputs().add(new ValueInfo(name, TensorType.of(value.type(), shape)));
        values.put(name, value);
        return this;
    }

    private static Dimension dimension(String size) {
        return size.equals("?")
                ? Dimension.UNKNOWN
                : Character.isDigit(size.charAt(0)) ? Dimension.of(Long.parseLong(size)) : Dimension.of(size);
    }

    /** A float32 input with normally distributed values. */
    FusionCase input(String name, String sizes, long... shape) {
        return input(name, sizes, Tensor.ofFloats(shape, gaussians(shape)));
    }

    FusionCase number(String name, float value) {
        return constant(name, TensorData.ofFloats(new long[0], value));
    }

    FusionCase weight(String name, long... shape) {
        return constant(name, TensorData.ofFloats(shape, gaussians(shape)));
    }

    FusionCase integers(String name, long... elements) {
        return constant(name, TensorData.ofLongs(new long[] {elements.length}, elements));
    }

    FusionCase constant(String name, TensorData value) {
        graph.initializers().put(name, value);
        return this;
    }

    private float[] gaussians(long... shape) {
        long count = Arrays.stream(shape).reduce(1, (a, b) -> a * b);
        float[] floats = new float[(int) count];
        for (int k = 0; k < floats.length; k++) {
            floats[k] = (float) random.nextGaussian();
        }
        return floats;
    }

    Graph graph() {
        return graph.build();
    }

    /** The graph that the passes leave, after it gave the same outputs to float32 rounding. */
    Graph fusedBy(GraphPass... passes) {
        return fusedBy(2e-6, passes);
    }

    /** @param tolerance relative to the largest output */
    Graph fusedBy(double tolerance, GraphPass... passes) {
        Graph before = graph.build();
        Graph after = before;
        for (GraphPass pass : passes) {
            after = pass.apply(after);
        }
        try (Provider java = OneNode.javaProvider(2);
                Provider fast = OneNode.provider(2, new NativeBackend())) {
            for (Provider provider : List.of(java, fast)) {
                compare(run(before, provider), run(after, provider), tolerance);
            }
        }
        return after;
    }

    private Map<String, Value> run(Graph which, Provider provider) {
        OnnxModel model = new OnnxModel("case", 8, Map.of("", opset, "com.microsoft", 1L), which, List.of(), Map.of());
        try (GraphSession session = GraphSession.create(model, provider, SessionOptions.defaults())) {
            return session.run(new LinkedHashMap<>(values));
        }
    }

    private static void compare(Map<String, Value> want, Map<String, Value> got, double tolerance) {
        assertThat(got.keySet()).isEqualTo(want.keySet());
        want.forEach((name, value) -> {
            Tensor expected = (Tensor) value;
            assertThat(((Tensor) got.get(name)).shape()).as(name).isEqualTo(expected.shape());
            float[] wanted = OneNode.floats(value);
            float[] found = OneNode.floats(got.get(name));
            float largest = 1;
            for (float element : wanted) {
                largest = Float.isFinite(element) ? Math.max(largest, Math.abs(element)) : largest;
            }
            for (int k = 0; k < wanted.length; k++) {
                assertThat(found[k]).as("%s[%d]", name, k).isCloseTo(wanted[k], within((float) tolerance * largest));
            }
        });
    }
}
