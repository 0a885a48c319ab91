package io.kindling.engine.generate;

import io.kindling.engine.EngineOptions;
import io.kindling.engine.GenerationResult;
import io.kindling.engine.GenerationWork;
import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import io.kindling.engine.generate.Decoder.Slice;
import io.kindling.engine.sample.Sampler;
import io.kindling.engine.text.Tokenizer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The engine's thread: admits jobs while there is room, runs steps over all rows in flight, and answers. Where the decoder
 * packs rows, one step holds a token of every row that decodes and fills the rest of its token budget with pieces of
 * prompts; else every row has a pass of its own.
 */
final class Scheduler implements Runnable {
    private final Decoder decoder;
    private final RequestBoard board;
    private final Counters counters;
    private final Tokenizer tokenizer;
    private final Set<Integer> stopIds;
    private final int maxBatch;
    private final int maxStepTokens;
    private final Sampler sampler = new Sampler();
    private final List<Row> rows = new ArrayList<>();
    private final List<Slice> slices = new ArrayList<>();
    private final List<Row> sliceRows = new ArrayList<>();
    private Job blocked;
    /** Until when the engine's time is counted to rows. */
    private long counted;

    Scheduler(
            Decoder decoder,
            RequestBoard board,
            Counters counters,
            Tokenizer tokenizer,
            Set<Integer> stopIds,
            EngineOptions options) {
        this.decoder = decoder;
        this.board = board;
        this.counters = counters;
        this.tokenizer = tokenizer;
        this.stopIds = stopIds;
        maxBatch = options.maxBatch();
        maxStepTokens = Math.max(options.maxStepTokens(), options.maxBatch());
    }

    @Override
    public void run() {
        try {
            while (hasWork() && !board.isClosed()) {
                dropAbandoned();
                admit();
                step();
            }
        } catch (InterruptedException fault) {
            board.close(new KindlingException(ErrorCode.CANCELLED, "the generation engine was interrupted", fault));
        } catch (RuntimeException | Error fault) {
            board.close(new KindlingException(
                    ErrorCode.INTERNAL, "the generation engine failed: " + fault + "; open the model again", fault));
        } finally {
            rows.forEach(Row::close);
            decoder.close();
        }
    }

    private boolean hasWork() throws InterruptedException {
        if (!rows.isEmpty() || blocked != null) {
            return true;
        }
        boolean works = board.awaitWork();
        counted = System.nanoTime();
        return works;
    }

    private void dropAbandoned() {
        rows.removeIf(row -> {
            if (row.job.abandoned) {
                row.close();
            }
            return row.job.abandoned;
        });
    }

    private void admit() {
        while (rows.size() < maxBatch) {
            Job job = blocked != null ? blocked : board.poll().orElse(null);
            blocked = null;
            if (job == null) {
                return;
            }
            if (!job.abandoned && !admit(job)) {
                blocked = job;
                return;
            }
        }
    }

    /** False when the job has to wait for memory. */
    private boolean admit(Job job) {
        AnswerBuilder answer = new AnswerBuilder(job, stopIds, tokenizer);
        if (answer.isFinished()) {
            board.complete(job, answer.result(GenerationWork.NONE));
            return true;
        }
        Optional<DecoderSequence> sequence;
        try {
            sequence = decoder.admit(job.prompt, job.prompt.length + job.maxNewTokens - 1);
        } catch (KindlingException fault) {
            fail(job, fault, GenerationWork.NONE);
            return true;
        }
        if (sequence.isEmpty()) {
            return false;
        }
        counters.promptTokens.add(job.prompt.length);
        counters.prefixHitTokens.add(sequence.get().length());
        rows.add(new Row(job, sequence.get(), answer));
        return true;
    }

    private void step() {
        if (!decoder.packsRows()) {
            for (Row row : List.copyOf(rows)) {
                slices.clear();
                sliceRows.clear();
                take(row, row.pending());
                runSlices();
            }
            return;
        }
        slices.clear();
        sliceRows.clear();
        int budget = maxStepTokens;
        for (Row row : rows) {
            if (row.pending() == 1) {
                take(row, 1);
                budget--;
            }
        }
        for (Row row : rows) {
            if (row.pending() > 1 && budget > 0) {
                int count = Math.min(row.pending(), budget);
                take(row, count);
                budget -= count;
            }
        }
        runSlices();
    }

    private void take(Row row, int count) {
        slices.add(row.slice(count));
        sliceRows.add(row);
    }

    /** Runs the slices together; should that fail, each alone, so that only the row at fault is lost. */
    private void runSlices() {
        if (slices.isEmpty()) {
            return;
        }
        try {
            run(slices, sliceRows);
        } catch (KindlingException fault) {
            if (slices.size() == 1) {
                lose(sliceRows.get(0), fault);
                return;
            }
            for (int k = 0; k < slices.size(); k++) {
                try {
                    run(List.of(slices.get(k)), List.of(sliceRows.get(k)));
                } catch (KindlingException own) {
                    lose(sliceRows.get(k), own);
                }
            }
        }
    }

    private void run(List<Slice> step, List<Row> stepRows) {
        decoder.run(step);
        counters.steps.increment();
        counters.stepRows.add(step.size());
        long now = System.nanoTime();
        for (Row row : stepRows) {
            row.worked(stepRows.size(), now - counted, decoder.pagesInUse());
        }
        counted = now;
        int next = 0;
        for (int k = 0; k < step.size(); k++) {
            if (step.get(k).sample()) {
                advance(stepRows.get(k), decoder.logits().row(next++));
            }
        }
    }

    /** Chooses the row's next token. */
    private void advance(Row row, float[] logits) {
        try {
            if (row.job.topLogits > 0) {
                row.answer.addLogits(TopLogits.highest(logits, row.job.topLogits));
            }
            int chosen = sampler.choose(logits, 0, logits.length, row.sampling, row.allowed(logits.length));
            int step = row.answer.size();
            row.append(step < row.job.forceIds.length ? row.job.forceIds[step] : chosen);
            counters.generatedTokens.increment();
        } catch (KindlingException fault) {
            lose(row, fault);
            return;
        }
        if (row.answer.isFinished()) {
            release(row);
            board.complete(row.job, row.answer.result(row.work()));
        }
    }

    private void lose(Row row, KindlingException fault) {
        release(row);
        fail(row.job, fault, row.work());
    }

    private void fail(Job job, KindlingException fault, GenerationWork work) {
        GenerationResult failed = GenerationResult.failed("", Job.boxed(job.prompt), fault.code(), fault.getMessage());
        board.complete(job, failed.of("", work));
    }

    private void release(Row row) {
        rows.remove(row);
        row.close();
    }
}
