package io.kindling.spark.runtime;

import io.kindling.engine.EngineOptions;
import io.kindling.engine.GenerationEngine;
import io.kindling.engine.GenerationRequest;
import io.kindling.engine.GenerationRequest.Prompt;
import io.kindling.engine.GenerationResult;
import io.kindling.engine.GenerationResult.FinishReason;
import io.kindling.engine.GenerationStats;
import io.kindling.engine.GenerationWork;
import io.kindling.engine.Message;
import io.kindling.engine.Session;
import io.kindling.engine.TextEncoder;
import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import io.kindling.engine.error.ModelException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/**
 * An engine for tests of everything around it: the answer to {@code x} is {@code re: x}, to prompts with {@code BAD} a row
 * error, to those with {@code FLAKY} one that may pass when they come for the first time; prompts with {@code HANG} are never
 * answered, those with {@code SAYS} with what is behind it, those with {@code FORM} with the format that they are held to. A model folder with a file {@code broken} does not load. Answers
 * come on other threads, out of order.
 */
public final class FakeEngines {
    public static final AtomicInteger LOADED = new AtomicInteger();
    public static final AtomicInteger ATTEMPTS = new AtomicInteger();
    public static final AtomicInteger OPEN_CLIENTS = new AtomicInteger();
    public static final AtomicInteger SUBMITTED = new AtomicInteger();
    public static final AtomicInteger IN_FLIGHT = new AtomicInteger();
    public static final AtomicInteger MOST_IN_FLIGHT = new AtomicInteger();

    private static final Set<String> SEEN = ConcurrentHashMap.newKeySet();
    static final AtomicReference<EngineOptions> LAST_OPTIONS = new AtomicReference<>();
    /** Of each answer: two rows shared its two passes of 2 ms, of 3 KV pages, one of them known. */
    private static final GenerationWork WORK = new GenerationWork(false, 2, 1, 2_000_000, 16, 3);

    static final long WEIGHT_BYTES = 40;
    static final long PREPACKED_BYTES = 30;

    private FakeEngines() {}

    /** Makes this JVM's tasks use fakes, with counters at 0. */
    public static void install() {
        for (AtomicInteger counter : List.of(LOADED, ATTEMPTS, OPEN_CLIENTS, SUBMITTED, IN_FLIGHT, MOST_IN_FLIGHT)) {
            counter.set(0);
        }
        SEEN.clear();
        TaskEngines.use(new EngineRegistry(FakeEngines::open));
    }

    /** Makes this JVM's tasks use the real engine, until the next {@link #install}. */
    public static void remove() {
        TaskEngines.use(new EngineRegistry(new ModelOpener()));
    }

    public static long sessionsOpened() {
        return TaskEngines.sessionsOpened();
    }

    static EngineOpener.LoadedModel open(Path path, EngineOptions options) {
        ATTEMPTS.incrementAndGet();
        LAST_OPTIONS.set(options);
        if (path.resolve("broken").toFile().exists()) {
            throw new ModelException(ErrorCode.MODEL_INVALID, path.toString(), "", "is broken on purpose");
        }
        LOADED.incrementAndGet();
        return new Fake();
    }

    private static final class Fake implements EngineOpener.LoadedModel {
        private final ExecutorService threads = Executors.newFixedThreadPool(3);

        @Override
        public GenerationEngine generation() {
            return new FakeEngine(threads);
        }

        @Override
        public TextEncoder encoder() {
            return new FakeEncoder();
        }

        @Override
        public Session session() {
            throw new UnsupportedOperationException("the fake has no graph");
        }

        @Override
        public long weightBytes() {
            return WEIGHT_BYTES;
        }

        @Override
        public long prepackedBytes() {
            return PREPACKED_BYTES;
        }

        @Override
        public void close() {
            LOADED.decrementAndGet();
            threads.shutdownNow();
        }
    }

    private record FakeEngine(ExecutorService threads) implements GenerationEngine {
        @Override
        public Client openClient() {
            OPEN_CLIENTS.incrementAndGet();
            return new FakeClient(threads);
        }

        @Override
        public GenerationStats stats() {
            throw new UnsupportedOperationException("nobody asks");
        }

        @Override
        public void close() {}
    }

    private record FakeClient(ExecutorService threads) implements GenerationEngine.Client {
        @Override
        public CompletableFuture<GenerationResult> submit(GenerationRequest request) {
            SUBMITTED.incrementAndGet();
            int inFlight = IN_FLIGHT.incrementAndGet();
            MOST_IN_FLIGHT.accumulateAndGet(inFlight, Math::max);
            CompletableFuture<GenerationResult> answer = new CompletableFuture<>();
            String prompt = text(request.prompt());
            if (prompt.contains("HANG")) {
                return answer;
            }
            threads.execute(() -> {
                try {
                    TimeUnit.MICROSECONDS.sleep(Math.floorMod(prompt.hashCode(), 2000));
                } catch (InterruptedException e) {
                    answer.completeExceptionally(new KindlingException(ErrorCode.CANCELLED, "closed"));
                    return;
                }
                IN_FLIGHT.decrementAndGet();
                answer.complete(answer(request, prompt));
            });
            return answer;
        }

        @Override
        public void close() {
            OPEN_CLIENTS.decrementAndGet();
        }
    }

    private static GenerationResult answer(GenerationRequest request, String prompt) {
        if (prompt.contains("BAD")) {
            return GenerationResult.failed(request.id(), List.of(1, 2), ErrorCode.PROMPT_TOO_LONG, "a bad row");
        }
        if (prompt.contains("FLAKY") && SEEN.add(prompt)) {
            return GenerationResult.failed(request.id(), List.of(1, 2), ErrorCode.IO, "a moment's trouble");
        }
        String key = request.rowKey().isPresent() ? " #" + request.id() : "";
        String seed = request.options().seed() == 0
                ? ""
                : " seed " + request.options().seed();
        if (prompt.contains("FORM")) {
            return answer(request, "SAYS " + request.options().responseFormat());
        }
        return new GenerationResult(
                request.id(),
                List.of(1, 2, 3),
                List.of(4, 5),
                prompt.contains("SAYS ")
                        ? prompt.substring(prompt.indexOf("SAYS ") + 5)
                        : "re: " + prompt + key + " max " + request.options().maxNewTokens() + seed,
                FinishReason.STOP,
                false,
                List.of(),
                Optional.empty(),
                WORK);
    }

    private static String text(Prompt prompt) {
        if (prompt instanceof Prompt.Chat chat) {
            StringBuilder text = new StringBuilder();
            for (Message message : chat.messages()) {
                text.append('<').append(message.fields().get("role")).append('>');
                text.append(message.fields().get("content"));
            }
            return text.toString();
        }
        return ((Prompt.Text) prompt).text();
    }
}
