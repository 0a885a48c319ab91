package io.kindling.engine.generate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.kindling.engine.EngineOptions;
import io.kindling.engine.GenerationEngine;
import io.kindling.engine.GenerationEngine.Client;
import io.kindling.engine.GenerationOptions;
import io.kindling.engine.GenerationOptions.OnOverflow;
import io.kindling.engine.GenerationRequest;
import io.kindling.engine.GenerationRequest.Prompt;
import io.kindling.engine.GenerationResult;
import io.kindling.engine.GenerationResult.FinishReason;
import io.kindling.engine.GenerationResult.TokenLogit;
import io.kindling.engine.GenerationWork;
import io.kindling.engine.JsonShape;
import io.kindling.engine.Message;
import io.kindling.engine.PromptOptions;
import io.kindling.engine.ResponseFormat;
import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import io.kindling.engine.metadata.ModelPackage;
import io.kindling.engine.text.ChatTemplates;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(20)
class BatchingEngineTest {
    private static final GenerationOptions FOUR = GenerationOptions.defaults().withMaxNewTokens(4);
    private static final int CONTEXT = 32;
    private static final GenerationWork WORK = new GenerationWork(false, 4, 4, 0, 0, 1);

    private final Semaphore gate = new Semaphore(0);
    private SuccessorDecoder decoder;
    private GenerationEngine engine;

    private Client open(boolean packs, int capacity, boolean deduplicate, int maxBatch, int maxStepTokens) {
        EngineOptions defaults = EngineOptions.defaults();
        EngineOptions options = new EngineOptions(
                defaults.kernels(),
                defaults.precision(),
                defaults.device(),
                defaults.path(),
                0,
                true,
                Set.of(),
                0,
                maxBatch,
                maxStepTokens,
                0,
                true,
                deduplicate,
                false);
        ModelPackage model = new ModelPackage(
                Path.of("letters"),
                Path.of("letters/model.onnx"),
                "test",
                Optional.empty(),
                Optional.empty(),
                OptionalInt.of(CONTEXT),
                Set.of((int) 'z'),
                Optional.empty(),
                new ChatTemplates("the letters", Map.of(), Map.of("bos_token", "A")),
                List.of());
        decoder = new SuccessorDecoder(packs, capacity, gate);
        engine = new BatchingEngine(decoder, model, new LetterTokenizer(), options);
        return engine.openClient();
    }

    private Client open() {
        gate.release(1_000_000);
        return open(true, 8, true, 8, 16);
    }

    @AfterEach
    void close() {
        gate.release(1_000_000);
        engine.close();
        assertThat(decoder.closed).isTrue();
        assertThat(decoder.open).as("sequences still open").isZero();
    }

    private static GenerationRequest text(String id, String prompt, GenerationOptions options) {
        return GenerationRequest.of(id, new Prompt.Text(prompt), options);
    }

    private static GenerationOptions options(int maxNewTokens, List<String> stop, boolean ignoreEos, OnOverflow over) {
        return new GenerationOptions(maxNewTokens, 0, 0, 1, 0, 1, 0, stop, ignoreEos, ResponseFormat.TEXT, over);
    }

    private static GenerationResult get(CompletableFuture<GenerationResult> future) throws Exception {
        return future.get(10, TimeUnit.SECONDS);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aFormIsOfItsRowAloneAndEndsItWithoutAFurtherStep(boolean packs) throws Exception {
        Client client = open(packs, 8, true, 8, 16);
        GenerationOptions held = FOUR.withResponseFormat(new ResponseFormat.Json(new JsonShape.Whole(0, 20)));
        List<CompletableFuture<GenerationResult>> futures = new ArrayList<>();
        for (GenerationOptions options : List.of(FOUR, held, FOUR, held)) {
            futures.add(client.submit(text("r", "0", options)));
        }
        gate.release(1_000_000);
        for (int row = 0; row < 4; row++) {
            GenerationResult result = get(futures.get(row));
            assertThat(result.text()).isEqualTo(row % 2 == 0 ? "1234" : "12");
            assertThat(result.finishReason()).isEqualTo(row % 2 == 0 ? FinishReason.LENGTH : FinishReason.STOP);
            assertThat(result.tokenIds()).hasSize(row % 2 == 0 ? 4 : 2);
        }
        assertThat(engine.stats().deduplicated()).as("equal in form too").isEqualTo(2);
        assertThat(engine.stats().stepRows()).as("steps of two rows").isEqualTo(4 + 2);
        GenerationOptions one = held.withMaxNewTokens(1);
        assertThat(get(client.submit(text("r", "0", one))).finishReason()).isEqualTo(FinishReason.LENGTH);
        GenerationOptions two = held.withMaxNewTokens(2);
        assertThat(get(client.submit(text("r", "0", two))).finishReason())
                .as("whole with its last token")
                .isEqualTo(FinishReason.STOP);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void answersUntilTheTokenLimit(boolean packs) throws Exception {
        gate.release(1_000_000);
        Client client = open(packs, 8, true, 8, 16);
        GenerationResult result = get(client.submit(text("r", "abc", FOUR)));
        assertThat(result.work().nanos()).isPositive();
        assertThat(result.of("r", WORK))
                .isEqualTo(new GenerationResult(
                        "r",
                        List.of(97, 98, 99),
                        List.of(100, 101, 102, 103),
                        "defg",
                        FinishReason.LENGTH,
                        false,
                        List.of(),
                        Optional.empty(),
                        WORK));
    }

    @Test
    void rowsDivideThePassesThatTheyShare() throws Exception {
        Client client = open(true, 3, false, 8, 16);
        List<CompletableFuture<GenerationResult>> futures = new ArrayList<>();
        for (int k = 0; k < 7; k++) {
            futures.add(client.submit(
                    text("r" + k, "abc".substring(k % 3), options(2 + k, List.of(), true, OnOverflow.ERROR))));
        }
        gate.release(1_000_000);
        long passes = 0;
        double shares = 0;
        long pages = 0;
        for (CompletableFuture<GenerationResult> future : futures) {
            GenerationWork work = get(future).work();
            passes += work.passes();
            shares += work.passShares();
            pages = Math.max(pages, work.kvPagesPeak());
        }
        assertThat(passes).isEqualTo(engine.stats().stepRows());
        assertThat(shares).isCloseTo(engine.stats().steps(), within(1e-9));
        assertThat(pages).as("three rows at once, a page each").isEqualTo(3);
    }

    @Test
    void stopIdEndsTheAnswerAndStaysOutOfItsText() throws Exception {
        GenerationResult result = get(open().submit(text("r", "w", FOUR)));
        assertThat(result.text()).isEqualTo("xy");
        assertThat(result.tokenIds()).containsExactly((int) 'x', (int) 'y', (int) 'z');
        assertThat(result.finishReason()).isEqualTo(FinishReason.STOP);
    }

    @Test
    void ignoredStopIdIsText() throws Exception {
        GenerationResult result = get(open().submit(text("r", "w", options(4, List.of(), true, OnOverflow.ERROR))));
        assertThat(result.text()).isEqualTo("xyz{");
        assertThat(result.finishReason()).isEqualTo(FinishReason.LENGTH);
    }

    @Test
    void stopTextOverSeveralTokensIsCutOff() throws Exception {
        GenerationOptions stops = options(20, List.of("hi", "efg"), false, OnOverflow.ERROR);
        GenerationResult result = get(open().submit(text("r", "abc", stops)));
        assertThat(result.text()).isEqualTo("d");
        assertThat(result.tokenIds()).hasSize(4);
        assertThat(result.finishReason()).isEqualTo(FinishReason.STOP);
    }

    /** The tokenizer's letters are UTF-16 units: half a character is left when the limit comes between them. */
    @Test
    void aCharacterThatTheLimitCutsIsTrimmedAndFlagged() throws Exception {
        Client client = open();
        GenerationResult cut = get(client.submit(forced(97, 0xD83D)));
        assertThat(cut.text()).isEqualTo("a");
        assertThat(cut.characterCut()).isTrue();
        GenerationResult whole = get(client.submit(forced(97, 0xD83D, 0xDE00)));
        assertThat(whole.text()).isEqualTo("a\uD83D\uDE00");
        assertThat(whole.characterCut()).isFalse();
    }

    private static GenerationRequest forced(Integer... ids) {
        return new GenerationRequest(
                "r",
                new Prompt.Ids(List.of(40)),
                GenerationOptions.defaults().withMaxNewTokens(ids.length),
                OptionalLong.empty(),
                List.of(ids),
                0);
    }

    /** After 127 comes 0, a special token whose text is {@code <0>} and no part of answers. */
    @Test
    void aStopTextMayEndInASpecialToken() throws Exception {
        GenerationRequest request = GenerationRequest.of(
                "r", new Prompt.Ids(List.of(124)), options(8, List.of("\u007f<0"), false, OnOverflow.ERROR));
        GenerationResult result = get(open().submit(request));
        assertThat(result.text()).isEqualTo("}~");
        assertThat(result.finishReason()).isEqualTo(FinishReason.STOP);
    }

    @Test
    void forcedIdsReplaceTheChosenOnesToTheirEnd() throws Exception {
        List<Integer> forced = List.of(50, (int) 'z', 60);
        GenerationResult result = get(open().submit(new GenerationRequest(
                "r", new Prompt.Ids(List.of(40)), FOUR, OptionalLong.empty(), forced, 2)));
        assertThat(result.tokenIds()).isEqualTo(forced);
        assertThat(result.finishReason()).isEqualTo(FinishReason.LENGTH);
        assertThat(result.logits())
                .containsExactly(
                        List.of(new TokenLogit(41, 1), new TokenLogit(0, 0)),
                        List.of(new TokenLogit(51, 1), new TokenLogit(0, 0)),
                        List.of(new TokenLogit('{', 1), new TokenLogit(0, 0)));
    }

    @Test
    void emptyPromptStartsFromTheBeginToken() throws Exception {
        GenerationResult result = get(open().submit(text("r", "", FOUR)));
        assertThat(result.promptIds()).containsExactly((int) 'A');
        assertThat(result.text()).isEqualTo("BCDE");
    }

    @Test
    void promptThatFillsTheContextIsARowError() throws Exception {
        GenerationResult result = get(open().submit(text("long", "a".repeat(CONTEXT), FOUR)));
        assertThat(result.finishReason()).isEqualTo(FinishReason.ERROR);
        assertThat(result.error().orElseThrow().code()).isEqualTo(ErrorCode.PROMPT_TOO_LONG);
        assertThat(result.error().orElseThrow().message())
                .isEqualTo(
                        "the prompt of row 'long' has 32 tokens, the model's context is 32 and the answer needs room; "
                                + "shorten the prompt or set onOverflow to truncate_left or truncate_right");
        assertThat(engine.stats().failedRows()).isEqualTo(1);
    }

    @Test
    void truncationKeepsTheWantedEndAndRoomForTheAnswer() throws Exception {
        Client client = open();
        String prompt = "abcdefgh".repeat(5);
        GenerationOptions left = options(4, List.of(), false, OnOverflow.TRUNCATE_LEFT);
        GenerationOptions right = options(4, List.of(), false, OnOverflow.TRUNCATE_RIGHT);
        GenerationResult kept = get(client.submit(text("l", prompt, left)));
        assertThat(kept.promptIds()).hasSize(28).endsWith((int) 'g', (int) 'h').startsWith((int) 'e');
        assertThat(kept.text()).isEqualTo("ijkl");
        kept = get(client.submit(text("r", prompt, right)));
        assertThat(kept.promptIds()).hasSize(28).startsWith((int) 'a').endsWith((int) 'd');
    }

    @Test
    void truncationOnTheLeftKeepsALeadingBeginToken() throws Exception {
        Client client = open();
        GenerationOptions left = options(4, List.of(), false, OnOverflow.TRUNCATE_LEFT);
        String letters = "abcdefgh".repeat(5);
        GenerationResult kept = get(client.submit(text("first", "A" + letters, left)));
        assertThat(kept.promptIds())
                .isEqualTo(("A" + letters.substring(40 - 27)).chars().boxed().toList());
        kept = get(client.submit(text("later", "aA" + letters, left)));
        assertThat(kept.promptIds())
                .isEqualTo(letters.substring(40 - 28).chars().boxed().toList());
    }

    @Test
    void answerEndsWhereTheContextDoes() throws Exception {
        GenerationResult result = get(open().submit(text("r", "a".repeat(CONTEXT - 2), FOUR)));
        assertThat(result.tokenIds()).hasSize(2);
        assertThat(result.finishReason()).isEqualTo(FinishReason.LENGTH);
    }

    @Test
    void chatWithoutATemplateIsARowError() throws Exception {
        GenerationResult result = get(open().submit(GenerationRequest.of(
                "r", PromptOptions.defaults().conversation(List.of(Message.of("user", "hi"))), FOUR)));
        assertThat(result.error().orElseThrow().code()).isEqualTo(ErrorCode.TEMPLATE);
    }

    @Test
    void rowThatFailsTheStepIsLostAlone() throws Exception {
        Client client = open(true, 8, true, 8, 64);
        CompletableFuture<GenerationResult> good = client.submit(text("good", "abc", FOUR));
        CompletableFuture<GenerationResult> bad =
                client.submit(GenerationRequest.of("bad", new Prompt.Ids(List.of(SuccessorDecoder.POISON)), FOUR));
        CompletableFuture<GenerationResult> odd =
                client.submit(GenerationRequest.of("odd", new Prompt.Ids(List.of(SuccessorDecoder.NOT_FINITE)), FOUR));
        gate.release(1_000_000);
        assertThat(get(good).text()).isEqualTo("defg");
        assertThat(get(bad).error().orElseThrow().code()).isEqualTo(ErrorCode.SHAPE_OR_TYPE);
        assertThat(get(odd).error().orElseThrow().code()).isEqualTo(ErrorCode.NON_FINITE_LOGITS);
        assertThat(engine.stats().failedRows()).isEqualTo(2);
    }

    @Test
    void stepsMixDecodingRowsWithPiecesOfPrompts() throws Exception {
        Client client = open(true, 8, true, 4, 8);
        CompletableFuture<GenerationResult> first = client.submit(text("first", "ab", FOUR));
        gate.release(1);
        while (engine.stats().generatedTokens() == 0) {
            Thread.onSpinWait();
        }
        CompletableFuture<GenerationResult> second = client.submit(text("second", "a".repeat(17), FOUR));
        gate.release(1_000_000);
        assertThat(get(first).text()).isEqualTo("cdef");
        assertThat(get(second).text()).isEqualTo("bcde");
        assertThat(decoder.runs.stream()
                        .map(run -> run.stream().map(Decoder.Slice::count).toList()))
                .contains(List.of(1, 7))
                .allSatisfy(
                        run -> assertThat(run.stream().mapToInt(k -> k).sum()).isLessThanOrEqualTo(8));
    }

    @Test
    void equalGreedyRequestsAreComputedOnce() throws Exception {
        Client client = open(true, 8, true, 8, 16);
        Client other = engine.openClient();
        List<CompletableFuture<GenerationResult>> futures = new ArrayList<>();
        for (int k = 0; k < 5; k++) {
            futures.add((k % 2 == 0 ? client : other).submit(text("r" + k, "abc", FOUR)));
        }
        client.close();
        gate.release(1_000_000);
        assertThat(get(futures.get(1)).id()).isEqualTo("r1");
        assertThat(get(futures.get(1)).work().passes()).isEqualTo(4);
        assertThat(get(futures.get(3)).text()).isEqualTo("defg");
        assertThat(get(futures.get(3)).work()).isEqualTo(GenerationWork.DEDUPLICATED);
        assertThatThrownBy(() -> get(futures.get(0)))
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(KindlingException.class)
                .hasMessageContaining("the client that asked for this text was closed");
        GenerationResult again = get(other.submit(text("again", "abc", FOUR)));
        assertThat(again.id()).isEqualTo("again");
        assertThat(again.work()).isEqualTo(GenerationWork.DEDUPLICATED);
        assertThat(engine.stats().deduplicated()).isEqualTo(5);
        assertThat(engine.stats().generatedTokens()).isEqualTo(4);
    }

    @Test
    void clientsTakeTurns() throws Exception {
        Client many = open(true, 1, false, 1, 16);
        Client few = engine.openClient();
        List<String> order = java.util.Collections.synchronizedList(new ArrayList<>());
        List<CompletableFuture<?>> all = new ArrayList<>();
        for (int k = 0; k < 4; k++) {
            String id = "many" + k;
            all.add(many.submit(text(id, "abc", FOUR)).thenAccept(result -> order.add(result.id())));
        }
        all.add(few.submit(text("few", "abc", FOUR)).thenAccept(result -> order.add(result.id())));
        gate.release(1_000_000);
        for (CompletableFuture<?> future : all) {
            future.get(10, TimeUnit.SECONDS);
        }
        assertThat(order.indexOf("few")).isLessThanOrEqualTo(2);
        assertThat(engine.stats().deduplicated()).isZero();
    }

    @Test
    void closingAClientDropsItsRowsAndLeavesOthers() throws Exception {
        Client going = open(true, 8, true, 8, 16);
        Client staying = engine.openClient();
        CompletableFuture<GenerationResult> lost =
                going.submit(text("lost", "abc", options(20, List.of(), false, OnOverflow.ERROR)));
        CompletableFuture<GenerationResult> kept = staying.submit(text("kept", "bcd", FOUR));
        gate.release(1);
        going.close();
        gate.release(1_000_000);
        assertThat(get(kept).text()).isEqualTo("efgh");
        assertThat(lost).isCompletedExceptionally();
        assertThat(going.submit(text("late", "abc", FOUR))).isCompletedExceptionally();
    }

    @Test
    void closingTheEngineFailsWhatWaits() throws Exception {
        Client client = open(true, 1, true, 1, 16);
        CompletableFuture<GenerationResult> running = client.submit(text("a", "abc", FOUR));
        CompletableFuture<GenerationResult> waiting = client.submit(text("b", "bcd", FOUR));
        Thread closer = new Thread(engine::close);
        closer.start();
        assertThatThrownBy(() -> get(waiting)).hasMessageContaining("the generation engine was closed");
        assertThatThrownBy(() -> get(running)).hasMessageContaining("the generation engine was closed");
        gate.release(1);
        closer.join();
    }
}
