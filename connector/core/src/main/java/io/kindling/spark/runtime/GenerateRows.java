package io.kindling.spark.runtime;

import io.kindling.engine.GenerationRequest.Prompt;
import io.kindling.engine.GenerationResult;
import io.kindling.engine.Message;
import io.kindling.engine.error.KindlingException;
import io.kindling.spark.config.GenerationPlan;
import io.kindling.spark.config.RowPlans;
import io.kindling.spark.convert.Requests;
import io.kindling.spark.convert.ResultConverter;
import io.kindling.spark.metrics.GenerationMetrics;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;

/**
 * The body of the batch operator: streams the rows of a partition through the executor's engine, a bounded number of them
 * at once, and gives them out in their order. Input rows end with the prompt, the key and the row's own options, which the result
 * replaces by the answer and, if asked for, its details.
 *
 * @param plans of rows that have options of their own
 * @param messages whether a prompt is the JSON of a conversation
 * @param details whether a struct with details follows the answer
 */
public record GenerateRows(
        ModelSource source,
        GenerationPlan plan,
        RowPlans plans,
        boolean messages,
        boolean details,
        GenerationMetrics metrics)
        implements MapPartitionsFunction<Row, Row> {
    /** Columns behind those of the input: prompt, key, options. */
    private static final int ADDED = 3;

    @Override
    public Iterator<Row> call(Iterator<Row> input) {
        TaskRequests requests = new TaskRequests(metrics.counters());
        return new InOrder<>(input, plan.inFlight(), row -> {
            requests.rows(1);
            String prompt = row.getString(row.size() - ADDED);
            if (prompt == null) {
                return () -> answered(row, Optional.empty());
            }
            Supplier<GenerationResult> result = submit(requests, row, prompt);
            return () -> answered(row, Optional.of(result.get()));
        });
    }

    private Supplier<GenerationResult> submit(TaskRequests requests, Row row, String text) {
        String key = row.getString(row.size() - ADDED + 1);
        GenerationPlan own;
        Prompt prompt;
        try {
            own = row.isNullAt(row.size() - 1) ? plan : plans.of(given(row.getJavaMap(row.size() - 1)));
            prompt = messages
                    ? own.prompt().conversation(Message.parse(text))
                    : own.prompt().prompt(text);
        } catch (KindlingException bad) {
            return requests.answered(
                    plan, GenerationResult.failed(key == null ? "" : key, List.of(), bad.code(), bad.getMessage()));
        }
        return requests.submit(source, own, Requests.of(prompt, Optional.ofNullable(key), own.generation()));
    }

    private static Map<String, String> given(Map<String, String> options) {
        Map<String, String> given = new LinkedHashMap<>(options);
        given.values().removeIf(Objects::isNull);
        return given;
    }

    private Row answered(Row row, Optional<GenerationResult> result) {
        int kept = row.size() - ADDED;
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
