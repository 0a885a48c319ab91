package io.kindling.spark.functions;

import io.kindling.spark.config.GenerationPlan;
import io.kindling.spark.functions.BatchFunction.Typed;
import io.kindling.spark.runtime.RowCall;
import java.util.Optional;
import java.util.function.IntFunction;
import org.apache.spark.sql.connector.catalog.functions.ScalarFunction;

/** A bound function of the catalog, as the batch operator sees it. */
sealed interface BoundCall extends ScalarFunction<Object> permits BoundPrompt, BoundRun, SourceCall {
    RowGenerator generator();

    /** Where options are among the arguments. */
    OptionsArgument options();

    /** The model, alias or URI, that the function is of; empty when the first argument names it. */
    Optional<String> model();

    /** Whether the operator runs it; else Spark does, row by row. */
    boolean isBatched();

    /**
     * What a call becomes once arguments that are literals are known; empty where it stays as it is.
     *
     * @param known the value of an argument, if it is a literal
     */
    default Optional<Typed> typed(IntFunction<Optional<Object>> known) {
        return Optional.empty();
    }

    /**
     * What the operator runs.
     *
     * @param delivering in the place of {@link #generator}, with models that the driver has made ready
     * @param plan of the options that are known before a row is read
     */
    RowCall batched(RowGenerator delivering, GenerationPlan plan);

    /** Tokens that a row may add to those of its prompt. */
    default int newTokens(GenerationPlan plan) {
        return 0;
    }
}
