package io.kindling.engine.generate;

import static org.assertj.core.api.Assertions.assertThat;

import io.kindling.engine.EngineOptions;
import io.kindling.engine.EngineOptions.ExecutionPath;
import io.kindling.engine.GenerationResult;
import io.kindling.engine.GenerationStats;
import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.ir.OnnxModel;
import io.kindling.engine.metadata.ModelPackage;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** One row alone on the dense path is the control: nothing else may change a bit of it. */
class PathsAgreeTest {
    private static final OnnxModel MODEL = TinyDecoder.model();
    private static final int NEW = 6;

    /** Two layers, keys and values, 2 heads of 16, 16 tokens, 4 bytes. */
    private static final long PAGE_BYTES = 2 * 2 * 2 * 16 * 16 * 4;

    private static final List<List<Integer>> PROMPTS = prompts();
    private static List<GenerationResult> control;
    private static GenerationStats stats;

    private static List<List<Integer>> prompts() {
        Random random = new Random(7);
        List<List<Integer>> prompts = new ArrayList<>();
        for (int length : new int[] {1, 7, 64, 300, 16, 17, 300, 33}) {
            prompts.add(random.ints(length, 0, TinyDecoder.VOCABULARY).boxed().toList());
        }
        List<Integer> sameBeginning = new ArrayList<>(prompts.get(3));
        sameBeginning.set(299, (sameBeginning.get(299) + 1) % TinyDecoder.VOCABULARY);
        prompts.set(6, sameBeginning);
        return prompts;
    }

    @BeforeAll
    static void runEveryRowAloneOnTheDensePath() throws Exception {
        control = new ArrayList<>();
        for (List<Integer> prompt : PROMPTS) {
            control.addAll(generate(ExecutionPath.DENSE, 1, 512, false, List.of(prompt)));
        }
        assertThat(control).allSatisfy(result -> assertThat(result.error()).isEmpty());
    }

    @ParameterizedTest
    @CsvSource({
        "DENSE, 8, 512, false",
        "RAGGED, 1, 512, false",
        "RAGGED, 8, 512, false",
        "RAGGED, 8, 512, true",
        "RAGGED, 1, 1, false",
        "RAGGED, 1, 5, true",
        "RAGGED, 3, 16, true",
        "RAGGED, 8, 64, true"
    })
    void batchPathPiecesAndPrefixCacheChangeNoBit(ExecutionPath path, int batch, int stepTokens, boolean prefixCache)
            throws Exception {
        assertThat(Generations.contents(generate(path, batch, stepTokens, prefixCache, PROMPTS)))
                .isEqualTo(Generations.contents(control));
    }

    @Test
    void autoTakesTheRaggedPathAndPacksRows() throws Exception {
        assertThat(PathChoice.choose(MODEL, TinyDecoder.io(), ExecutionPath.AUTO)
                        .path())
                .isEqualTo(ExecutionPath.RAGGED);
        generate(ExecutionPath.AUTO, 8, 512, false, PROMPTS);
        // How many come together depends on when the first step begins; that some do does not.
        assertThat(stats.stepRows()).isGreaterThan(stats.steps());
        assertThat(stats.kvPagesPeak()).isGreaterThan(50);
    }

    @Test
    void rowsWaitForPagesAndChangeNoBit() throws Exception {
        assertThat(Generations.contents(generate(ExecutionPath.RAGGED, 8, 64, true, 24 * PAGE_BYTES, PROMPTS)))
                .isEqualTo(Generations.contents(control));
        assertThat(stats.kvPagesPeak()).isBetween(20L, 24L);
    }

    @Test
    void rowThatCanNeverFitIsLostAlone() throws Exception {
        List<GenerationResult> results =
                generate(ExecutionPath.RAGGED, 8, 64, false, 10 * PAGE_BYTES, PROMPTS.subList(2, 4));
        assertThat(Generations.contents(results.subList(0, 1))).isEqualTo(Generations.contents(control.subList(2, 3)));
        assertThat(results.get(1).error().orElseThrow())
                .isEqualTo(new GenerationResult.RowError(
                        ErrorCode.OUT_OF_MEMORY,
                        "a sequence of 305 tokens needs 163840 bytes of KV cache and state, the budget is 81920; "
                                + "raise the KV budget or lower max_new_tokens"));
    }

    @Test
    void equalBeginningsAreComputedOnce() throws Exception {
        List<GenerationResult> results =
                generate(ExecutionPath.RAGGED, 1, 512, true, List.of(PROMPTS.get(3), PROMPTS.get(6)));
        assertThat(stats.promptTokens()).isEqualTo(600);
        assertThat(stats.prefixHitTokens()).isEqualTo(288);
        assertThat(results)
                .extracting(result -> result.work().prefixHitTokens())
                .containsExactly(0, 288);
        assertThat(results)
                .as("one row at a time, the second with cached pages of the first")
                .allMatch(result -> result.work().kvPagesPeak() == stats.kvPagesPeak());
    }

    private static List<GenerationResult> generate(
            ExecutionPath path, int batch, int stepTokens, boolean prefixCache, List<List<Integer>> prompts)
            throws Exception {
        return generate(path, batch, stepTokens, prefixCache, 64L << 20, prompts);
    }

    private static List<GenerationResult> generate(
            ExecutionPath path,
            int batch,
            int stepTokens,
            boolean prefixCache,
            long kvBudget,
            List<List<Integer>> prompts)
            throws Exception {
        ModelPackage resolved = TinyDecoder.modelPackage(Set.of());
        EngineOptions options = Generations.options(path, batch, stepTokens, prefixCache, kvBudget);
        Generations run = Generations.run(MODEL, resolved, options, prompts, NEW, 96);
        stats = run.stats();
        return run.results();
    }
}
