package io.kindling.engine.generate;

import io.kindling.engine.EngineOptions;
import io.kindling.engine.GenerationEngine;
import io.kindling.engine.GenerationRequest;
import io.kindling.engine.GenerationResult;
import io.kindling.engine.GenerationStats;
import io.kindling.engine.ResponseFormat;
import io.kindling.engine.constrain.Grammar;
import io.kindling.engine.constrain.Grammars;
import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import io.kindling.engine.error.OptionException;
import io.kindling.engine.metadata.ModelPackage;
import io.kindling.engine.text.Tokenizer;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The engine of one model: tasks encode and wait on their own threads, one thread runs the steps. */
final class BatchingEngine implements GenerationEngine {
    private final PromptEncoder encoder;
    private final int contextLength;
    private final Decoder decoder;
    private final Grammars grammars;
    private final Counters counters = new Counters();
    private final RequestBoard board;
    private final Thread thread;

    BatchingEngine(Decoder decoder, ModelPackage model, Tokenizer tokenizer, EngineOptions options) {
        this.decoder = decoder;
        grammars = new Grammars(tokenizer, model.stopIds());
        encoder = new PromptEncoder(model, tokenizer);
        contextLength = model.contextLength().orElse(Integer.MAX_VALUE);
        board = new RequestBoard(options.deduplicate(), counters);
        Scheduler scheduler = new Scheduler(decoder, board, counters, tokenizer, model.stopIds(), options);
        thread = new Thread(scheduler, "kindling-generate");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public Client openClient() {
        return new BoardClient();
    }

    @Override
    public GenerationStats stats() {
        return counters.snapshot(decoder.pagesPeak());
    }

    @Override
    public void close() {
        board.close(new KindlingException(ErrorCode.CANCELLED, "the generation engine was closed"));
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException fault) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private Optional<Grammar> grammar(GenerationRequest request) {
        if (!(request.options().responseFormat() instanceof ResponseFormat.Json json)) {
            return Optional.empty();
        }
        if (!request.forceIds().isEmpty()) {
            throw new OptionException(
                    "row '" + request.id() + "' has both forced ids and a response_format; give one of them");
        }
        return Optional.of(grammars.of(json.shape()));
    }

    private final class BoardClient implements Client {
        private final ClientQueue queue = new ClientQueue();

        @Override
        public CompletableFuture<GenerationResult> submit(GenerationRequest request) {
            counters.requests.increment();
            int[] prompt;
            Optional<Grammar> grammar;
            try {
                prompt = encoder.encode(request);
                grammar = grammar(request);
            } catch (KindlingException fault) {
                counters.failedRows.increment();
                return CompletableFuture.completedFuture(
                        GenerationResult.failed(request.id(), List.of(), fault.code(), fault.getMessage()));
            }
            Job job = new Job(
                    prompt,
                    request.options(),
                    request.forceIds(),
                    request.topLogits(),
                    grammar,
                    request.rowKey(),
                    contextLength);
            return board.submit(queue, request.id(), job);
        }

        @Override
        public void close() {
            board.close(queue);
        }
    }
}
