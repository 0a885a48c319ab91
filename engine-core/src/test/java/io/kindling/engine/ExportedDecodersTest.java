package io.kindling.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.kindling.engine.EngineOptions.ExecutionPath;
import io.kindling.engine.GenerationEngine.Client;
import io.kindling.engine.GenerationRequest.Prompt;
import io.kindling.engine.GenerationResult.TokenLogit;
import io.kindling.engine.generate.PathChoice;
import io.kindling.engine.provider.Precision;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.StreamSupport;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Small decoders of real exporters run packed and give ONNX Runtime's logits, whatever else is in the batch; see
 * src/test/python/record_decoders.py. Prompts begin alike, so that they share pages.
 */
class ExportedDecodersTest {
    private static final int TOP = 64;

    @TempDir
    private Path folder;

    private record Answer(List<Integer> ids, List<Map<Integer, Float>> logits) {}

    private static InputStream resource(String name) {
        return ExportedDecodersTest.class.getResourceAsStream(name);
    }

    private JsonNode unpack(String name) throws Exception {
        try (InputStream graph = new GZIPInputStream(resource("generate/decoders/" + name + ".onnx.gz"));
                InputStream tokenizer = resource("text/bytelevel.json");
                InputStream golden = resource("generate/decoders/" + name + ".json")) {
            Files.copy(graph, folder.resolve("model.onnx"));
            Files.copy(tokenizer, folder.resolve("tokenizer.json"));
            JsonNode recorded = new ObjectMapper().readTree(golden);
            String metadata = recorded.fieldNames().next();
            Files.writeString(
                    folder.resolve(metadata + ".json"), recorded.get(metadata).toString());
            return recorded.get("runs");
        }
    }

    private static EngineOptions options(ExecutionPath path, int batch, int stepTokens) {
        EngineOptions defaults = EngineOptions.defaults();
        return new EngineOptions(
                defaults.kernels(),
                Precision.EXACT,
                "cpu",
                path,
                2,
                true,
                Set.of(),
                0,
                batch,
                stepTokens,
                16L << 20,
                true,
                true,
                false);
    }

    private static List<Integer> integers(JsonNode list) {
        return StreamSupport.stream(list.spliterator(), false)
                .map(JsonNode::asInt)
                .toList();
    }

    private static List<Answer> answers(Model model, JsonNode runs) throws Exception {
        List<CompletableFuture<GenerationResult>> futures = new ArrayList<>();
        try (Client client = model.generation().openClient()) {
            for (JsonNode run : runs) {
                List<Integer> ids = integers(run.get("new"));
                futures.add(client.submit(new GenerationRequest(
                        "r",
                        new Prompt.Ids(integers(run.get("prompt"))),
                        GenerationOptions.defaults().withMaxNewTokens(ids.size()),
                        OptionalLong.empty(),
                        ids,
                        TOP)));
            }
            List<Answer> answers = new ArrayList<>();
            for (CompletableFuture<GenerationResult> future : futures) {
                GenerationResult result = future.get(60, TimeUnit.SECONDS);
                assertThat(result.error()).isEmpty();
                List<Map<Integer, Float>> logits = new ArrayList<>();
                for (List<TokenLogit> step : result.logits()) {
                    Map<Integer, Float> byToken = new HashMap<>();
                    step.forEach(logit -> byToken.put(logit.tokenId(), logit.logit()));
                    logits.add(byToken);
                }
                answers.add(new Answer(result.tokenIds(), logits));
            }
            return answers;
        }
    }

    private static void assertRecorded(List<Answer> answers, JsonNode runs) {
        for (int k = 0; k < answers.size(); k++) {
            JsonNode top = runs.get(k).get("top");
            for (int step = 0; step < top.size(); step++) {
                for (JsonNode logit : top.get(step)) {
                    assertThat(answers.get(k)
                                    .logits()
                                    .get(step)
                                    .get(logit.get(0).asInt()))
                            .as("prompt %s, step %s", k, step)
                            .isCloseTo((float) logit.get(1).asDouble(), within(1e-3f));
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "codegen",
                "cohere",
                "deepseek_v3",
                "glm",
                "gpt_neo",
                "gpt_oss",
                "phi3-long",
                "qwen2-merged",
                "qwen3_moe"
            })
    void runPackedAndAnswerAsOnnxRuntimeDoes(String name) throws Exception {
        JsonNode runs = unpack(name);
        List<Answer> packed;
        try (Model model = Model.open(folder, options(ExecutionPath.AUTO, 8, 512))) {
            PathChoice choice = model.executionPath().orElseThrow();
            assertThat(choice.path()).as(choice.reason()).isEqualTo(ExecutionPath.RAGGED);
            packed = answers(model, runs);
            assertRecorded(packed, runs);
        }
        try (Model model = Model.open(folder, options(ExecutionPath.RAGGED, 3, 7))) {
            assertThat(answers(model, runs)).isEqualTo(packed);
        }
        try (Model model = Model.open(folder, options(ExecutionPath.DENSE, 1, 512))) {
            assertRecorded(answers(model, runs), runs);
        }
    }
}
