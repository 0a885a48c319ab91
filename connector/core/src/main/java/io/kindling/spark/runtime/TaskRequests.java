package io.kindling.spark.runtime;

import io.kindling.engine.EncodingOptions;
import io.kindling.engine.GenerationRequest;
import io.kindling.engine.GenerationResult;
import io.kindling.engine.GenerationResult.RowError;
import io.kindling.engine.GenerationWork;
import io.kindling.engine.Session;
import io.kindling.engine.TextEncoder;
import io.kindling.engine.TextEncoder.Classification;
import io.kindling.engine.TextEncoder.Embedding;
import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import io.kindling.spark.config.GenerationPlan;
import io.kindling.spark.config.InferencePlan;
import io.kindling.spark.metrics.Counters;
import io.kindling.spark.metrics.ProcessCounters;
import java.io.Serializable;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.apache.spark.TaskContext;
import org.apache.spark.TaskKilledException;
import org.apache.spark.sql.Row;

/** A task's requests to its engines: counted, and judged by {@code onError} and {@code maxErrorFraction}. */
public final class TaskRequests {
    /** Faults of one text; others are of the model, the options or the machine, and end the task. */
    private static final Set<ErrorCode> OF_A_TEXT = EnumSet.of(ErrorCode.TOKENIZER, ErrorCode.NON_FINITE_LOGITS);

    private final Counters counters;
    private final RowFaults faults = new RowFaults();

    TaskRequests(Counters counters) {
        this.counters = counters.and(ProcessCounters.COUNTERS);
    }

    /** Encodes a batch of texts. */
    @FunctionalInterface
    public interface Encode<T> extends Serializable {
        List<T> all(TextEncoder encoder, List<String> texts, EncodingOptions options);
    }

    /** Whether a fault is that of one text, which loses its result for it. */
    public static boolean isOfAText(KindlingException fault) {
        return OF_A_TEXT.contains(fault.code());
    }

    /** Counts rows of the input. */
    void rows(int count) {
        counters.rows().add(count);
    }

    /**
     * Gives the engine a request.
     *
     * @return waits for its result
     */
    public Supplier<GenerationResult> submit(ModelSource source, GenerationPlan plan, GenerationRequest request) {
        counters.requests().add(1);
        CompletableFuture<GenerationResult> answer =
                TaskEngines.with(source, plan, counters, client -> client.submit(request));
        return () -> judged(plan, Answer.await(answer));
    }

    /** A result that no engine was asked for. */
    public Supplier<GenerationResult> answered(GenerationPlan plan, GenerationResult result) {
        counters.requests().add(1);
        return () -> judged(plan, result);
    }

    /** A row that no engine is asked for, since it has a fault. */
    public void refused(GenerationPlan plan, RowError fault) {
        counters.requests().add(1);
        judge(plan, "", Optional.of(fault));
    }

    private GenerationResult judged(GenerationPlan plan, GenerationResult result) {
        count(result, counters);
        judge(plan, result.id(), result.error());
        return result;
    }

    /** Counts an answer and the work for it. */
    public static void count(GenerationResult result, Counters counters) {
        GenerationWork work = result.work();
        counters.promptTokens().add(result.promptIds().size());
        counters.generatedTokens().add(result.tokenIds().size());
        if (work.deduplicated()) {
            counters.deduplicated().add(1);
            return;
        }
        counters.tokensPerSecond().add(result.tokenIds().size(), work.nanos() / 1e9);
        counters.prefixHits().add(work.prefixHitTokens());
        counters.meanBatchSize().add(work.passes(), work.passShares());
        counters.kvPagesPeak().add(work.kvPagesPeak());
    }

    private void judge(GenerationPlan plan, String id, Optional<RowError> error) {
        if (error.isPresent()) {
            counters.failedRows().add(1);
        }
        faults.check(plan, id, error);
    }

    /** Encodes texts at once; when one of them is at fault, each by itself, so that the others keep their results. */
    public <T> List<Outcome<T>> encode(ModelSource source, GenerationPlan plan, List<String> texts, Encode<T> encode) {
        if (texts.isEmpty()) {
            return List.of();
        }
        counters.requests().add(texts.size());
        List<Outcome<T>> outcomes;
        try {
            outcomes =
                    run(source, plan, texts, encode).stream().map(Outcome::of).toList();
        } catch (KindlingException fault) {
            if (!isOfAText(fault)) {
                throw fault;
            }
            outcomes = texts.stream()
                    .map(text -> alone(source, plan, text, encode))
                    .toList();
        }
        for (Outcome<T> outcome : outcomes) {
            outcome.result().ifPresent(result -> countEncoded(result, counters));
            judge(plan, "", outcome.error());
        }
        return outcomes;
    }

    private <T> Outcome<T> alone(ModelSource source, GenerationPlan plan, String text, Encode<T> encode) {
        try {
            return Outcome.of(run(source, plan, List.of(text), encode).get(0));
        } catch (KindlingException fault) {
            if (!isOfAText(fault)) {
                throw fault;
            }
            return new Outcome<>(Optional.empty(), Optional.of(new RowError(fault.code(), fault.getMessage())));
        }
    }

    private <T> List<T> run(ModelSource source, GenerationPlan plan, List<String> texts, Encode<T> encode) {
        checkKilled();
        return TaskEngines.encode(
                source, plan, counters, texts.size(), encoder -> encode.all(encoder, texts, plan.encoding()));
    }

    private static void checkKilled() {
        TaskContext context = TaskContext.get();
        if (context != null && context.isInterrupted()) {
            throw new TaskKilledException("killed before the next batch");
        }
    }

    /**
     * Runs a graph over rows of its inputs, those of equal shapes together.
     *
     * @param rows at least one, with their types and without NULLs
     */
    public List<RowInference.Outcome> infer(
            ModelSource source, GenerationPlan plan, InferencePlan inference, List<Row> rows) {
        return TaskEngines.session(source, plan, counters, session -> {
            Batches batches = RowInference.batches(
                    session, inference, rows.get(0), plan.engine().maxBatch());
            return infer(session, batches, plan, rows).stream()
                    .map(work -> RowInference.Outcome.of(batches, work))
                    .toList();
        });
    }

    /** The same where the batches are known. */
    List<Batches.Work> infer(Session session, Batches batches, GenerationPlan plan, List<Row> rows) {
        List<Batches.Work> work = rows.stream().map(batches::read).toList();
        batches.run(session, work, TaskRequests::checkKilled, size -> {
            counters.requests().add(size);
            counters.meanBatchSize().add(size, 1);
            TaskEngines.count(size);
        });
        for (Batches.Work row : work) {
            if (!row.isNull) {
                judge(plan, "", Optional.ofNullable(row.error));
            }
        }
        return work;
    }

    /** Counts an {@link Embedding} or a {@link Classification}. */
    public static void countEncoded(Object result, Counters counters) {
        if (result instanceof Embedding embedding) {
            countEncoded(embedding.tokens(), embedding.batch(), counters);
        } else if (result instanceof Classification classification) {
            countEncoded(classification.tokens(), classification.batch(), counters);
        }
    }

    /** The time was counted when they ran. */
    private static void countEncoded(int tokens, int batch, Counters counters) {
        counters.promptTokens().add(tokens);
        counters.tokensPerSecond().add(tokens, 0);
        counters.meanBatchSize().add(1, 1.0 / batch);
    }
}
