package io.kindling.engine.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.kindling.engine.ir.Attribute;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Dimension;
import io.kindling.engine.ir.Graph;
import io.kindling.engine.ir.Node;
import io.kindling.engine.ir.OnnxModel;
import io.kindling.engine.ir.TensorData;
import io.kindling.engine.ir.ValueInfo;
import io.kindling.engine.ir.ValueType.TensorType;
import io.kindling.engine.provider.Provider;
import io.kindling.engine.provider.ProviderFactory;
import io.kindling.engine.provider.ProviderOptions;
import io.kindling.engine.provider.Tensor;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Tasks of one executor use one copy of the weights, by the store's own count and by what the system says. */
class SharedWeightsTest {
    private static final int K = 4096;
    private static final int N = 16384;

    /** 4-bit codes and float scales in blocks of 32. */
    private static final long WEIGHT_BYTES = (long) N * K / 2 + (long) N * (K / 32) * Float.BYTES;

    private static final Pattern ANONYMOUS = Pattern.compile("Anonymous:\\s+(\\d+) kB");

    private static OnnxModel model() {
        Graph.Builder graph = Graph.builder("product");
        graph.inputs()
                .add(new ValueInfo("x", TensorType.of(DataType.FLOAT, List.of(Dimension.UNKNOWN, Dimension.of(K)))));
        graph.outputs()
                .add(new ValueInfo("y", TensorType.of(DataType.FLOAT, List.of(Dimension.UNKNOWN, Dimension.of(N)))));
        graph.initializers().put("codes", inline(DataType.UINT8, new long[] {N, K / 32, 16}, N * K / 2));
        graph.initializers().put("scales", inline(DataType.FLOAT, new long[] {N * K / 32}, N * (K / 32) * Float.BYTES));
        Map<String, Attribute> attributes = Map.of(
                "N",
                Attribute.of((long) N),
                "K",
                Attribute.of((long) K),
                "bits",
                Attribute.of(4L),
                "block_size",
                Attribute.of(32L));
        graph.nodes()
                .add(new Node(
                        "product",
                        "com.microsoft",
                        "MatMulNBits",
                        List.of("x", "codes", "scales"),
                        List.of("y"),
                        attributes));
        return new OnnxModel("fixture", 10, Map.of("", 21L, "com.microsoft", 1L), graph.build(), List.of(), Map.of());
    }

    private static TensorData inline(DataType type, long[] shape, int bytes) {
        ByteBuffer zeros = ByteBuffer.allocateDirect(bytes).order(ByteOrder.LITTLE_ENDIAN);
        return new TensorData(type, shape, new TensorData.Inline(zeros));
    }

    @Test
    void moreTasksAddNoCopyOfTheWeights() throws IOException {
        ProviderFactory factory = ServiceLoader.load(ProviderFactory.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(candidate -> candidate.deviceKind().equals("cpu"))
                .findFirst()
                .orElseThrow();
        OnnxModel model = model();
        try (Provider provider = factory.open(ProviderOptions.defaults());
                ModelWeights weights = new ModelWeights(provider);
                GraphSession session = GraphSession.create(model, weights, SessionOptions.defaults())) {
            List<GraphBinding> tasks = new ArrayList<>();
            tasks.add(runningTask(session));
            assertThat(weights.weightBytes()).isEqualTo(WEIGHT_BYTES);
            long prepacked = weights.prepackedBytes();
            long before = anonymousBytes();
            for (int task = 1; task < 4; task++) {
                tasks.add(runningTask(session));
            }
            try (GraphSession again = GraphSession.create(model, weights, SessionOptions.defaults())) {
                tasks.add(runningTask(again));
                assertThat(weights.weightBytes()).isEqualTo(WEIGHT_BYTES);
                assertThat(weights.prepackedBytes()).isEqualTo(prepacked);
                assumeTrue(before > 0, "no /proc/self/smaps_rollup here, so the system cannot be asked");
                assertThat(anonymousBytes() - before).isLessThan(WEIGHT_BYTES / 2);
                tasks.forEach(GraphBinding::close);
            }
        }
    }

    private static GraphBinding runningTask(GraphSession session) {
        GraphBinding binding = session.newBinding();
        binding.bindInput("x", Tensor.allocateHost(DataType.FLOAT, 1, K));
        binding.run();
        return binding;
    }

    /** Anonymous memory of this process; 0 where the system does not tell. */
    private static long anonymousBytes() throws IOException {
        Path rollup = Path.of("/proc/self/smaps_rollup");
        if (!Files.isReadable(rollup)) {
            return 0;
        }
        Matcher matcher = ANONYMOUS.matcher(Files.readString(rollup));
        return matcher.find() ? Long.parseLong(matcher.group(1)) << 10 : 0;
    }
}
