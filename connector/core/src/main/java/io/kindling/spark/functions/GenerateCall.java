package io.kindling.spark.functions;

import io.kindling.engine.GenerationResult;
import io.kindling.spark.config.GenerationPlan;
import io.kindling.spark.config.RowPlans.RowPlan;
import io.kindling.spark.convert.Requests;
import io.kindling.spark.functions.Results.Value;
import io.kindling.spark.runtime.RowCall;
import io.kindling.spark.runtime.TaskRequests;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.apache.spark.sql.catalyst.InternalRow;

/** A function that generates, in the batch operator. */
record GenerateCall(RowGenerator generator, Arguments arguments, int inFlight, Value<GenerationResult> value)
        implements RowCall.Submitted {
    @Override
    public Supplier<Object> submit(InternalRow input, TaskRequests requests) {
        if (arguments.isNull(input)) {
            return () -> null;
        }
        RowPlan row = generator.rowPlan(arguments.options(input));
        GenerationPlan plan = row.plan();
        Supplier<GenerationResult> result = row.fault()
                .map(fault ->
                        requests.answered(plan, GenerationResult.failed("", List.of(), fault.code(), fault.message())))
                .orElseGet(() -> requests.submit(
                        generator.source(arguments.model(input)),
                        plan,
                        Requests.of(
                                arguments.prompt(input, plan.prompt()),
                                Optional.empty(),
                                arguments.generation(input, plan.generation()))));
        return () -> value.of(result.get());
    }
}
