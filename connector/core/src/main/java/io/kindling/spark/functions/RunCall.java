package io.kindling.spark.functions;

import io.kindling.spark.runtime.RowCall;
import io.kindling.spark.runtime.TaskRequests;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;

/**
 * {@code run} in the batch operator.
 *
 * @param function with the models that the driver has made ready
 * @param window rows
 */
record RunCall(BoundRun function, int window) implements RowCall.Windowed {
    @Override
    public List<Object> all(List<InternalRow> inputs, TaskRequests requests) {
        RunArguments arguments = function.arguments();
        RowGenerator generator = function.generator();
        return Use.answerAll(
                inputs,
                arguments::inputs,
                input -> Use.of(
                        generator, arguments.model(input), arguments.options().read(input), requests),
                (use, rows) -> {
                    List<Object> results = new ArrayList<>(rows.size());
                    requests.infer(use.source(), use.plan(), function.inference(), rows)
                            .forEach(outcome -> results.add(function.result(outcome)));
                    return results;
                });
    }
}
