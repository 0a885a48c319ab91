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
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tiny decoders of each family against transformers in float32. The files are made anew by {@code gguf_families.py}; the
 * logits were recorded once with the same script and transformers 5.24.0 on torch 2.15.0.
 */
class DecoderFamiliesTest {
    private static final int PROMPT = 4;

    @TempDir
    static Path folder;

    private static JsonNode recorded;

    @BeforeAll
    static void makeFiles() throws Exception {
        JsonNode cases = new ObjectMapper()
                .readTree(PythonOracle.script("oracle", "gguf_families.py", "write", folder.toString()));
        try (InputStream json = DecoderFamiliesTest.class.getResourceAsStream("/gguf/families.json")) {
            recorded = new ObjectMapper().readTree(json);
        }
        assertThat(cases).hasSameSizeAs(recorded.get("logits"));
        for (JsonNode name : cases) {
            GgufConverter.convert(folder.resolve(name.asText() + ".gguf"), folder.resolve(name.asText()));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "llama",
                "llama-biased",
                "mistral",
                "qwen2",
                "qwen3",
                "gemma2",
                "gemma3",
                "phi3",
                "phi3-longrope",
                "smollm3",
                "granite"
            })
    void computesWhatTransformersComputes(String name) throws Exception {
        List<Integer> ids = new ArrayList<>();
        recorded.get("ids").forEach(id -> ids.add(id.asInt()));
        JsonNode wanted = recorded.at("/logits/" + name);
        int vocabulary = wanted.get(0).size();
        for (ExecutionPath path : List.of(ExecutionPath.RAGGED, ExecutionPath.DENSE)) {
            List<List<TokenLogit>> steps = TeacherForced.run(folder.resolve(name), path, ids, PROMPT, vocabulary);
            assertThat(steps).hasSize(ids.size() - PROMPT);
            for (int step = 0; step < steps.size(); step++) {
                assertThat(steps.get(step)).hasSize(vocabulary);
                for (TokenLogit found : steps.get(step)) {
                    assertThat((double) found.logit())
                            .as("%s, step %d, token %d", path, step, found.tokenId())
                            .isCloseTo(
                                    wanted.get(PROMPT - 1 + step)
                                            .get(found.tokenId())
                                            .asDouble(),
                                    within(2e-4));
                }
            }
        }
    }
}
