package io.kindling.engine.generate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.kindling.engine.EngineOptions.ExecutionPath;
import io.kindling.engine.GenerationResult;
import io.kindling.engine.GenerationResult.TokenLogit;
import io.kindling.engine.error.ErrorCode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Decoders with states of convolutions and recurrences beside keys and values; see src/test/python/make_hybrid_models.py. */
class HybridDecoderTest {
    private static final long ROOMY = 64L << 20;
    private static final int VOCABULARY = 96;

    /** One layer of keys and values, 2 heads of 16, 16 tokens, 4 bytes. */
    private static final long PAGE_BYTES = 2 * 2 * 16 * 16 * 4;

    /** Three layers, two slots each: 80 channels of 3 positions and 4 heads of 8 x 8, 4 bytes. */
    private static final long PLACE_BYTES = 3 * 2 * (80 * 3 + 4 * 8 * 8) * 4;

    @TempDir
    private static Path folder;

    private static JsonNode goldens;
    private static List<List<Integer>> prompts;
    private static int newTokens;

    @BeforeAll
    static void makeModels() throws Exception {
        HybridModel.make(folder);
        goldens = new ObjectMapper().readTree(folder.resolve("goldens.json").toFile());
        prompts = new ArrayList<>();
        goldens.forEach(run -> prompts.add(integers(run.get("prompt"))));
        newTokens = goldens.get(0).get("new").size();
    }

    private static HybridModel open(String name) {
        return HybridModel.open(folder, name);
    }

    private static Generations run(HybridModel model, ExecutionPath path, int batch, int stepTokens, long budget)
            throws Exception {
        return Generations.run(
                model.graph(),
                model.resolved(),
                Generations.options(path, batch, stepTokens, true, budget),
                prompts,
                newTokens,
                VOCABULARY);
    }

    private static List<Integer> integers(JsonNode list) {
        List<Integer> values = new ArrayList<>();
        list.forEach(value -> values.add(value.asInt()));
        return values;
    }

    @ParameterizedTest
    @CsvSource({"ops, RAGGED", "ai.onnx, RAGGED", "scan, DENSE", "planes, RAGGED", "renamed, RAGGED", "sidecar, RAGGED"
    })
    void answersAreWhatTheOperatorsDefinitionsGive(String name, ExecutionPath path) throws Exception {
        HybridModel model = open(name);
        PathChoice choice = PathChoice.choose(model.graph(), model.io(), ExecutionPath.AUTO);
        assertThat(choice.path()).as(choice.reason()).isEqualTo(path);
        Generations run = run(model, ExecutionPath.AUTO, 4, 8, ROOMY);
        for (int k = 0; k < prompts.size(); k++) {
            assertAnswer(run.results().get(k), goldens.get(k));
        }
        assertThat(run.stats().stepRows() > run.stats().steps()).isEqualTo(path == ExecutionPath.RAGGED);
    }

    private static void assertAnswer(GenerationResult result, JsonNode golden) {
        assertThat(result.error()).isEmpty();
        assertThat(result.tokenIds()).isEqualTo(integers(golden.get("new")));
        for (int step = 0; step < newTokens; step++) {
            assertThat(result.logits().get(step)).hasSize(VOCABULARY);
            for (TokenLogit logit : result.logits().get(step)) {
                assertThat((double) logit.logit())
                        .isCloseTo(
                                golden.get("logits")
                                        .get(step)
                                        .get(logit.tokenId())
                                        .asDouble(),
                                within(2e-4));
            }
        }
    }

    @Test
    void planesOfPositionsAreFedOnTheDensePathToo() throws Exception {
        Generations run = run(open("planes"), ExecutionPath.DENSE, 4, 8, ROOMY);
        for (int k = 0; k < prompts.size(); k++) {
            assertAnswer(run.results().get(k), goldens.get(k));
        }
    }

    @ParameterizedTest
    @CsvSource({"8, 512", "3, 5", "6, 1", "2, 16"})
    void batchMatesAndPiecesChangeNoBit(int batch, int stepTokens) throws Exception {
        HybridModel model = open("ops");
        List<List<?>> alone = run(model, ExecutionPath.DENSE, 1, 512, ROOMY).contents();
        assertThat(run(model, ExecutionPath.RAGGED, batch, stepTokens, ROOMY).contents())
                .isEqualTo(alone);
    }

    /** float16 keys, values and convolutions; ONNX Runtime's own distance from the reference is 0.04. */
    @Test
    void halfPrecisionRunsPackedAndBatchMatesChangeNoBit() throws Exception {
        HybridModel model = open("ops-f16");
        Generations run = run(model, ExecutionPath.RAGGED, 6, 512, ROOMY);
        assertThat(run(model, ExecutionPath.RAGGED, 3, 5, ROOMY).contents()).isEqualTo(run.contents());
        for (int k = 0; k < prompts.size(); k++) {
            for (TokenLogit logit : run.results().get(k).logits().get(0)) {
                double expected =
                        goldens.get(k).get("logits").get(0).get(logit.tokenId()).asDouble();
                assertThat((double) logit.logit()).isCloseTo(expected, within(0.08));
            }
        }
    }

    @Test
    void modelsWithStatesShareNoPrefixes() throws Exception {
        HybridModel model = open("ops");
        List<Integer> prompt = prompts.get(prompts.size() - 1);
        Generations run = Generations.run(
                model.graph(),
                model.resolved(),
                Generations.options(ExecutionPath.RAGGED, 1, 512, true, ROOMY),
                List.of(prompt, prompt),
                newTokens,
                0);
        assertThat(run.stats().prefixHitTokens()).isZero();
        assertThat(run.results().get(1).tokenIds())
                .isEqualTo(run.results().get(0).tokenIds());
    }

    /** Two places leave room for five pages; the longest sequence needs four of them. */
    @Test
    void statesCountInTheBudgetAndRowsWaitForThem() throws Exception {
        HybridModel model = open("ops");
        List<List<?>> roomy = run(model, ExecutionPath.RAGGED, 6, 512, ROOMY).contents();
        Generations tight = run(model, ExecutionPath.RAGGED, 6, 512, 4 * PLACE_BYTES);
        assertThat(tight.contents()).isEqualTo(roomy);
        assertThat(tight.stats().stepRows())
                .isLessThanOrEqualTo(2 * tight.stats().steps());
    }

    @Test
    void rowWhoseStateCanNeverFitIsRefused() throws Exception {
        Generations run = run(open("ops"), ExecutionPath.RAGGED, 6, 512, PLACE_BYTES - 1);
        assertThat(run.results().get(5).error().orElseThrow())
                .isEqualTo(new GenerationResult.RowError(
                        ErrorCode.OUT_OF_MEMORY,
                        "a sequence of 51 tokens needs " + (4 * PAGE_BYTES + PLACE_BYTES)
                                + " bytes of KV cache and state, the budget is " + (PLACE_BYTES - 1)
                                + "; raise the KV budget or lower max_new_tokens"));
    }

    @Test
    void denseSequencesCountTheirStatesToo() throws Exception {
        long states = 3 * (80 * 3 + 4 * 8 * 8) * 4;
        long keysAndValues = 51 * 2 * 2 * 16 * 4;
        Generations run = run(open("scan"), ExecutionPath.DENSE, 6, 512, states + keysAndValues - 1);
        assertThat(run.results().get(5).error().orElseThrow().message())
                .startsWith("a sequence of 51 tokens needs " + (states + keysAndValues)
                        + " bytes of KV cache and state, the budget is " + (states + keysAndValues - 1));
        assertAnswer(run.results().get(4), goldens.get(4));
    }
}
