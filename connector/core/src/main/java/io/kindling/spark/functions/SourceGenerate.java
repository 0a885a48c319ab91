package io.kindling.spark.functions;

import io.kindling.engine.GenerationRequest.Prompt;
import io.kindling.engine.GenerationResult;
import io.kindling.engine.Message;
import io.kindling.engine.error.KindlingException;
import io.kindling.spark.config.GenerationPlan;
import io.kindling.spark.convert.InternalValues;
import io.kindling.spark.convert.Requests;
import io.kindling.spark.runtime.RowCall;
import io.kindling.spark.runtime.TaskRequests;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.apache.spark.sql.catalyst.InternalRow;

/** The texts of {@code format("onnx")}, in the batch operator. */
record SourceGenerate(RowGenerator generator, SourceCall call, GenerationPlan plan) implements RowCall.Submitted {
    @Override
    public int inFlight() {
        return plan.inFlight();
    }

    @Override
    public Supplier<Object> submit(InternalRow arguments, TaskRequests requests) {
        Optional<String> text = SourceCall.prompt(arguments);
        if (text.isEmpty()) {
            return () -> null;
        }
        Supplier<GenerationResult> pending = submit(text.get(), SourceCall.key(arguments), requests);
        return () -> {
            GenerationResult result = pending.get();
            return InternalValues.toInternalRow(Results.text(result), Results.details(result));
        };
    }

    private Supplier<GenerationResult> submit(String text, Optional<String> key, TaskRequests requests) {
        Prompt prompt;
        try {
            prompt = call.conversations()
                    ? plan.prompt().conversation(Message.parse(text))
                    : plan.prompt().prompt(text);
        } catch (KindlingException bad) {
            return requests.answered(
                    plan, GenerationResult.failed(key.orElse(""), List.of(), bad.code(), bad.getMessage()));
        }
        return requests.submit(call.source(generator), plan, Requests.of(prompt, key, plan.generation()));
    }
}
