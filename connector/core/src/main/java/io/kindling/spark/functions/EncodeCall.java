package io.kindling.spark.functions;

import io.kindling.spark.config.GenerationPlan;
import io.kindling.spark.functions.Results.Value;
import io.kindling.spark.runtime.ModelSource;
import io.kindling.spark.runtime.Outcome;
import io.kindling.spark.runtime.RowCall;
import io.kindling.spark.runtime.TaskRequests;
import io.kindling.spark.runtime.TaskRequests.Encode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.InternalRow;

/** A function that encodes, in the batch operator: texts for the same model with the same options go together. */
record EncodeCall<T>(RowGenerator generator, Arguments arguments, Encode<T> encode, Value<T> value)
        implements RowCall.Windowed {
    private record Use(ModelSource source, GenerationPlan plan) {}

    @Override
    public List<Object> all(List<InternalRow> inputs, TaskRequests requests) {
        Map<Use, List<Integer>> rowsOf = new LinkedHashMap<>();
        for (int row = 0; row < inputs.size(); row++) {
            InternalRow input = inputs.get(row);
            if (!arguments.isNull(input)) {
                Use use = new Use(generator.source(arguments.model(input)), generator.plan(arguments.options(input)));
                rowsOf.computeIfAbsent(use, first -> new ArrayList<>()).add(row);
            }
        }
        Object[] results = new Object[inputs.size()];
        rowsOf.forEach((use, rows) -> {
            List<String> texts =
                    rows.stream().map(row -> arguments.text(inputs.get(row))).toList();
            List<Outcome<T>> outcomes = requests.encode(use.source(), use.plan(), texts, encode);
            for (int i = 0; i < outcomes.size(); i++) {
                results[rows.get(i)] = outcomes.get(i).result().map(value::of).orElse(null);
            }
        });
        return Arrays.asList(results);
    }
}
