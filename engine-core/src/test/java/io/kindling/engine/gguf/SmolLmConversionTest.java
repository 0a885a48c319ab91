package io.kindling.engine.gguf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.kindling.engine.testing.PythonOracle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real file against ggml's reader, ONNX Runtime and Hugging Face's tokenizers. */
class SmolLmConversionTest {
    @TempDir
    Path folder;

    @Test
    void theConvertedPackageComputesWhatTheFileSays() throws Exception {
        Path gguf;
        try (var files = Files.walk(PythonOracle.sitePackages("smollm2"))) {
            gguf = files.filter(file -> file.toString().endsWith(".gguf"))
                    .findFirst()
                    .orElseThrow();
        }
        Path out = folder.resolve("package");
        GgufConverter.convert(gguf, out);
        JsonNode found = new ObjectMapper()
                .readTree(PythonOracle.script("oracle", "check_gguf_package.py", gguf.toString(), out.toString()));
        assertThat(found.get("errors")).hasSize(13).allSatisfy(error -> assertThat(error.asDouble())
                .isLessThan(1e-6));
        assertThat(found.get("ids").toString()).isEqualTo("[504,3575,282,4649,314]");
        assertThat(found.get("digits").toString()).isEqualTo("[\"ĊĊ\",\"1\"]");
        assertThat(found.get("special").asInt()).isEqualTo(1);
        // Logits of Hugging Face transformers in float32 on the dequantised weights.
        List<Integer> ids = List.of(7042, 260, 4528, 2250, 1315);
        double[] logits = {17.3713, 14.8886, 13.245, 13.0095, 12.9515};
        for (int i = 0; i < logits.length; i++) {
            assertThat(found.at("/top/" + i + "/0").asInt()).isEqualTo(ids.get(i));
            assertThat(found.at("/top/" + i + "/1").asDouble()).isCloseTo(logits[i], within(1e-3));
        }
    }
}
