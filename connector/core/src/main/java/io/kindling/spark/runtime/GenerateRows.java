package io.kindling.spark.runtime;

import io.kindling.engine.GenerationRequest;
import io.kindling.engine.GenerationRequest.Prompt;
import io.kindling.engine.GenerationResult;
import io.kindling.engine.Message;
import io.kindling.engine.error.KindlingException;
import io.kindling.spark.config.GenerationPlan;
import io.kindling.spark.convert.Requests;
import io.kindling.spark.convert.ResultConverter;
import io.kindling.spark.metrics.GenerationMetrics;
import io.kindling.spark.metrics.ProcessCounters;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;

/**
 * The body of the batch operator: streams the rows of a partition through the executor's engine, a bounded number of them
 * at once, and gives them out in their order. Input rows end with the prompt and the key, which the result replaces by the
 * answer and, if asked for, its details.
 *
 * @param messages whether a prompt is the JSON of a conversation
 * @param details whether a struct with details follows the answer
 */
public record GenerateRows(
        ModelSource source, GenerationPlan plan, boolean messages, boolean details, GenerationMetrics metrics)
        implements MapPartitionsFunction<Row, Row> {

    @Override
    public Iterator<Row> call(Iterator<Row> input) {
        return new Answers(input);
    }

    /** A row and, unless its prompt is NULL, what is awaited for it. */
    private record Pending(Row row, Optional<CompletableFuture<GenerationResult>> answer) {}

    private final class Answers implements Iterator<Row> {
        private final Iterator<Row> input;
        private final Deque<Pending> pending = new ArrayDeque<>();
        private final RowFaults faults = new RowFaults(plan);

        Answers(Iterator<Row> input) {
            this.input = input;
        }

        @Override
        public boolean hasNext() {
            while (pending.size() < plan.inFlight() && input.hasNext()) {
                pending.add(submit(input.next()));
            }
            return !pending.isEmpty();
        }

        @Override
        public Row next() {
            if (!hasNext()) {
                throw new NoSuchElementException();
            }
            Pending head = pending.remove();
            return answered(head.row(), head.answer().map(this::await));
        }

        private Pending submit(Row row) {
            metrics.rows().add(1);
            ProcessCounters.ROWS.add(1);
            String prompt = row.getString(row.size() - 2);
            if (prompt == null) {
                return new Pending(row, Optional.empty());
            }
            metrics.requests().add(1);
            return new Pending(row, Optional.of(submit(prompt, row.getString(row.size() - 1))));
        }

        private CompletableFuture<GenerationResult> submit(String text, String key) {
            Prompt prompt;
            try {
                prompt = messages
                        ? plan.prompt().conversation(Message.parse(text))
                        : plan.prompt().prompt(text);
            } catch (KindlingException noMessages) {
                return CompletableFuture.completedFuture(GenerationResult.failed(
                        key == null ? "" : key, List.of(), noMessages.code(), noMessages.getMessage()));
            }
            GenerationRequest request = Requests.of(prompt, Optional.ofNullable(key), plan.generation());
            return TaskEngines.with(source, plan, Optional.of(metrics), client -> client.submit(request));
        }

        private GenerationResult await(CompletableFuture<GenerationResult> answer) {
            GenerationResult result = Answer.await(answer);
            metrics.promptTokens().add(result.promptIds().size());
            metrics.generatedTokens().add(result.tokenIds().size());
            if (result.error().isPresent()) {
                metrics.failedRows().add(1);
                ProcessCounters.FAILED_ROWS.increment();
            }
            faults.check(result.id(), result.error());
            return result;
        }

        private Row answered(Row row, Optional<GenerationResult> result) {
            int kept = row.size() - 2;
            Object[] values = new Object[kept + (details ? 2 : 1)];
            for (int i = 0; i < kept; i++) {
                values[i] = row.get(i);
            }
            values[kept] = result.flatMap(ResultConverter::text).orElse(null);
            if (details) {
                values[kept + 1] = result.map(ResultConverter::details)
                        .map(RowFactory::create)
                        .orElse(null);
            }
            return RowFactory.create(values);
        }
    }

    @Override
    public String toString() {
        return "GenerateRows(" + source.uri() + ", " + plan + ")";
    }
}
