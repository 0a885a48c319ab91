package io.kindling.spark.functions;

import io.kindling.spark.functions.Results.Value;
import io.kindling.spark.runtime.RowCall;
import io.kindling.spark.runtime.TaskRequests;
import io.kindling.spark.runtime.TaskRequests.Encode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.spark.sql.catalyst.InternalRow;

/** A function that encodes, in the batch operator. */
record EncodeCall<T>(RowGenerator generator, Arguments arguments, Encode<T> encode, Value<T> value)
        implements RowCall.Windowed {
    @Override
    public List<Object> all(List<InternalRow> inputs, TaskRequests requests) {
        return Use.answerAll(
                inputs,
                input -> arguments.isNull(input) ? Optional.empty() : Optional.of(arguments.text(input)),
                input -> Use.of(generator, arguments.model(input), arguments.options(input), requests),
                (use, texts) -> {
                    List<Object> results = new ArrayList<>(texts.size());
                    requests.encode(use.source(), use.plan(), texts, encode)
                            .forEach(outcome ->
                                    results.add(outcome.result().map(value::of).orElse(null)));
                    return results;
                });
    }
}
