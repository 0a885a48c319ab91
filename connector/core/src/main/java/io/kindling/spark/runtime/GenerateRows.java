package io.kindling.spark.runtime;

import io.kindling.engine.GenerationRequest.Prompt;
import io.kindling.engine.GenerationResult;
import io.kindling.engine.Message;
import io.kindling.engine.error.KindlingException;
import io.kindling.spark.config.GenerationPlan;
import io.kindling.spark.convert.Requests;
import io.kindling.spark.convert.ResultConverter;
import io.kindling.spark.metrics.GenerationMetrics;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
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
        TaskRequests requests = new TaskRequests(metrics.counters());
        return new InOrder<>(input, plan.inFlight(), row -> {
            requests.rows(1);
            String prompt = row.getString(row.size() - 2);
            if (prompt == null) {
                return () -> answered(row, Optional.empty());
            }
            Supplier<GenerationResult> result = submit(requests, prompt, row.getString(row.size() - 1));
            return () -> answered(row, Optional.of(result.get()));
        });
    }

    private Supplier<GenerationResult> submit(TaskRequests requests, String text, String key) {
        Prompt prompt;
        try {
            prompt = messages
                    ? plan.prompt().conversation(Message.parse(text))
                    : plan.prompt().prompt(text);
        } catch (KindlingException noMessages) {
            return requests.answered(
                    plan,
                    GenerationResult.failed(
                            key == null ? "" : key, List.of(), noMessages.code(), noMessages.getMessage()));
        }
        return requests.submit(source, plan, Requests.of(prompt, Optional.ofNullable(key), plan.generation()));
    }

    private Row answered(Row row, Optional<GenerationResult> result) {
        int kept = row.size() - 2;
        Object[] values = new Object[kept + (details ? 2 : 1)];
        for (int i = 0; i < kept; i++) {
            values[i] = row.get(i);
        }
        values[kept] = result.flatMap(ResultConverter::text).orElse(null);
        if (details) {
            values[kept + 1] =
                    result.map(ResultConverter::details).map(RowFactory::create).orElse(null);
        }
        return RowFactory.create(values);
    }

    @Override
    public String toString() {
        return "GenerateRows(" + source.uri() + ", " + plan + ")";
    }
}
