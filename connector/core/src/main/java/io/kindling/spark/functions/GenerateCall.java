package io.kindling.spark.functions;

import io.kindling.engine.GenerationRequest;
import io.kindling.engine.GenerationResult;
import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.OptionException;
import io.kindling.spark.config.GenerationPlan;
import io.kindling.spark.config.RowPlans.RowPlan;
import io.kindling.spark.functions.Results.Value;
import io.kindling.spark.runtime.RowCall;
import io.kindling.spark.runtime.TaskRequests;
import java.util.List;
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
        Supplier<GenerationResult> result = row.fault()
                .map(fault -> failed(row.plan(), fault.code(), fault.message(), requests))
                .orElseGet(() -> submit(input, row.plan(), requests));
        return () -> value.of(result.get());
    }

    private Supplier<GenerationResult> submit(InternalRow input, GenerationPlan plan, TaskRequests requests) {
        GenerationRequest request;
        try {
            request = arguments.request(input, plan);
        } catch (OptionException bad) { // the schema of this row: literal ones were checked at analysis
            return failed(plan, bad.code(), bad.getMessage(), requests);
        }
        return requests.submit(generator.source(arguments.model(input)), plan, request);
    }

    private static Supplier<GenerationResult> failed(
            GenerationPlan plan, ErrorCode code, String message, TaskRequests requests) {
        return requests.answered(plan, GenerationResult.failed("", List.of(), code, message));
    }
}
