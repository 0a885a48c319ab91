package io.kindling.spark.functions;

import io.kindling.spark.config.GenerationPlan;
import io.kindling.spark.config.RowPlans.RowPlan;
import io.kindling.spark.runtime.ModelSource;
import io.kindling.spark.runtime.TaskRequests;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.apache.spark.sql.catalyst.InternalRow;

/** A model with options: rows that have both in common go to it together. */
record Use(ModelSource source, GenerationPlan plan) {
    /** Empty for a row whose options have bad values, which is judged here. */
    static Optional<Use> of(RowGenerator generator, String model, Map<String, String> options, TaskRequests requests) {
        RowPlan row = generator.rowPlan(options);
        if (row.fault().isPresent()) {
            requests.refused(row.plan(), row.fault().get());
            return Optional.empty();
        }
        return Optional.of(new Use(generator.source(model), row.plan()));
    }

    /**
     * The results of rows, in their order.
     *
     * @param read what of a row goes to the model; empty when the answer is NULL without asking
     * @param use empty for a row that failed already
     * @param answer results for the rows of a use
     */
    static <T> List<Object> answerAll(
            List<InternalRow> rows,
            Function<InternalRow, Optional<T>> read,
            Function<InternalRow, Optional<Use>> use,
            BiFunction<Use, List<T>, List<Object>> answer) {
        Map<Use, List<Integer>> rowsOf = new LinkedHashMap<>();
        List<T> given = new ArrayList<>(rows.size());
        for (int row = 0; row < rows.size(); row++) {
            T item = read.apply(rows.get(row)).orElse(null);
            given.add(item);
            Optional<Use> of = item == null ? Optional.empty() : use.apply(rows.get(row));
            if (of.isPresent()) {
                rowsOf.computeIfAbsent(of.get(), first -> new ArrayList<>()).add(row);
            }
        }
        Object[] results = new Object[rows.size()];
        rowsOf.forEach((each, indices) -> {
            List<Object> answers =
                    answer.apply(each, indices.stream().map(given::get).toList());
            for (int i = 0; i < answers.size(); i++) {
                results[indices.get(i)] = answers.get(i);
            }
        });
        return Arrays.asList(results);
    }
}
