package io.kindling.spark.runtime;

import io.kindling.engine.GenerationResult.RowError;
import io.kindling.engine.TextEncoder;
import io.kindling.spark.config.GenerationPlan;
import io.kindling.spark.convert.EncodingConverter;
import io.kindling.spark.metrics.GenerationMetrics;
import io.kindling.spark.runtime.TaskRequests.Encode;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;

/**
 * The body of the batch operator of encoders: takes a partition in windows, whose texts the encoder batches by their length, and
 * gives the rows out in their order. Input rows end with the text, which the result replaces by vector or label and, if asked for,
 * the details.
 *
 * @param details whether a struct with details follows the result
 */
public record EncodeRows(ModelSource source, GenerationPlan plan, Task task, boolean details, GenerationMetrics metrics)
        implements MapPartitionsFunction<Row, Row> {
    /** Enough that texts of like length find each other. */
    static final int WINDOW = 512;

    /** What is made of a text. */
    public enum Task {
        EMBED,
        CLASSIFY
    }

    @Override
    public Iterator<Row> call(Iterator<Row> input) {
        return task == Task.EMBED
                ? windows(input, TextEncoder::embed, EncodingConverter::vector, EncodingConverter::details)
                : windows(input, TextEncoder::classify, EncodingConverter::label, EncodingConverter::classDetails);
    }

    private interface Value<T> {
        Object of(T result);
    }

    private interface Details<T> {
        Row of(Optional<T> result, Optional<RowError> error);
    }

    private <T> Iterator<Row> windows(Iterator<Row> input, Encode<T> encode, Value<T> value, Details<T> toDetails) {
        TaskRequests requests = new TaskRequests(metrics.counters());
        return new InWindows<>(input, WINDOW, rows -> {
            requests.rows(rows.size());
            List<String> texts = rows.stream()
                    .filter(row -> !isNull(row))
                    .map(row -> row.getString(row.size() - 1))
                    .toList();
            Iterator<Outcome<T>> outcomes =
                    requests.encode(source, plan, texts, encode).iterator();
            return rows.stream()
                    .map(row -> isNull(row)
                            ? withResult(row, null, null)
                            : answered(row, outcomes.next(), value, toDetails))
                    .toList();
        });
    }

    private static boolean isNull(Row row) {
        return row.isNullAt(row.size() - 1);
    }

    private <T> Row answered(Row row, Outcome<T> outcome, Value<T> value, Details<T> toDetails) {
        return withResult(
                row,
                outcome.result().map(value::of).orElse(null),
                details ? toDetails.of(outcome.result(), outcome.error()) : null);
    }

    private Row withResult(Row row, Object result, Row detailed) {
        int kept = row.size() - 1;
        Object[] values = new Object[kept + (details ? 2 : 1)];
        for (int i = 0; i < kept; i++) {
            values[i] = row.get(i);
        }
        values[kept] = result;
        if (details) {
            values[kept + 1] = detailed;
        }
        return RowFactory.create(values);
    }

    @Override
    public String toString() {
        return "EncodeRows(" + source.uri() + ", " + task + ", " + plan + ")";
    }
}
