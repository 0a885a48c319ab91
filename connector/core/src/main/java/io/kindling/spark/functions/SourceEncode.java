package io.kindling.spark.functions;

import io.kindling.engine.GenerationResult.RowError;
import io.kindling.spark.config.GenerationPlan;
import io.kindling.spark.convert.InternalValues;
import io.kindling.spark.functions.Results.Value;
import io.kindling.spark.runtime.Outcome;
import io.kindling.spark.runtime.RowCall;
import io.kindling.spark.runtime.TaskRequests;
import io.kindling.spark.runtime.TaskRequests.Encode;
import java.io.Serializable;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.InternalRow;

/** The vectors and classes of {@code format("onnx")}, in the batch operator. */
record SourceEncode<T>(
        RowGenerator generator,
        SourceCall call,
        GenerationPlan plan,
        Encode<T> encode,
        Value<T> value,
        Details<T> details)
        implements RowCall.Windowed {
    /** What is told of a row beside its result. */
    @FunctionalInterface
    interface Details<T> extends Serializable {
        Row of(Optional<T> result, Optional<RowError> error);
    }

    @Override
    public List<Object> all(List<InternalRow> arguments, TaskRequests requests) {
        List<Optional<String>> prompts =
                arguments.stream().map(SourceCall::prompt).toList();
        List<String> texts = prompts.stream().flatMap(Optional::stream).toList();
        Iterator<Outcome<T>> outcomes =
                requests.encode(call.source(generator), plan, texts, encode).iterator();
        return prompts.stream()
                .map(prompt -> prompt.isPresent() ? columns(outcomes.next()) : null)
                .toList();
    }

    private Object columns(Outcome<T> outcome) {
        return InternalValues.toInternalRow(
                outcome.result().map(value::of).orElse(null), details.of(outcome.result(), outcome.error()));
    }
}
