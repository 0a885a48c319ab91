package io.kindling.spark.functions;

import io.kindling.engine.GenerationResult;
import io.kindling.spark.config.GenerationPlan;
import io.kindling.spark.convert.Requests;
import io.kindling.spark.functions.Results.Value;
import io.kindling.spark.runtime.RowCall;
import io.kindling.spark.runtime.TaskRequests;
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
        GenerationPlan plan = generator.plan(arguments.options(input));
        Supplier<GenerationResult> result = requests.submit(
                generator.source(arguments.model(input)),
                plan,
                Requests.of(arguments.prompt(input, plan.prompt()), Optional.empty(), plan.generation()));
        return () -> value.of(result.get());
    }
}
