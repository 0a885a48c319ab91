package io.kindling.engine.gguf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.kindling.engine.EngineOptions.ExecutionPath;
import io.kindling.engine.GenerationResult.TokenLogit;
import io.kindling.engine.testing.PythonOracle;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Gemma 3 270M in Q4_K_M (types F32, Q5_0, Q4_K, Q8_0, Q6_K) over 720 tokens, the last 80 of them forced: past its window of
 * 512. Logits were recorded with {@code record_gemma.py}: transformers 5.24.0 in float32 on the dequantised weights.
 */
class GemmaConversionTest {
    @TempDir
    Path folder;

    @Test
    void equalsTransformersPastTheSlidingWindow() throws Exception {
        Path gguf = folder.resolve("gemma.gguf");
        PythonOracle.script("gemma3", "assemble_gemma.py", gguf.toString());
        GgufConverter.convert(gguf, folder.resolve("package"));
        JsonNode recorded;
        try (InputStream json = GemmaConversionTest.class.getResourceAsStream("/gguf/gemma3-270m.json")) {
            recorded = new ObjectMapper().readTree(json);
        }
        List<Integer> ids = new ArrayList<>();
        recorded.get("ids").forEach(id -> ids.add(id.asInt()));
        JsonNode wanted = recorded.get("top");
        List<List<TokenLogit>> steps = TeacherForced.run(
                folder.resolve("package"),
                ExecutionPath.RAGGED,
                ids,
                recorded.get("prompt").asInt(),
                2 * wanted.get(0).size());
        assertThat(steps).hasSameSizeAs(wanted);
        double worst = 0;
        for (int step = 0; step < steps.size(); step++) {
            assertThat(steps.get(step).get(0).tokenId())
                    .as("step %d", step)
                    .isEqualTo(wanted.at("/" + step + "/0/0").asInt());
            Map<Integer, Float> logits =
                    steps.get(step).stream().collect(Collectors.toMap(TokenLogit::tokenId, TokenLogit::logit));
            for (JsonNode pair : wanted.get(step)) {
                assertThat(logits).containsKey(pair.get(0).asInt());
                worst = Math.max(
                        worst,
                        Math.abs(logits.get(pair.get(0).asInt()) - pair.get(1).asDouble()));
            }
        }
        assertThat(worst).as("largest difference of a logit").isCloseTo(0, within(1e-3));
    }
}
