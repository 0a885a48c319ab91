package io.kindling.spark.runtime;

import java.io.Serializable;
import java.util.List;
import java.util.function.Supplier;
import org.apache.spark.sql.catalyst.InternalRow;

/** What a function does with its arguments in the batch operator, on the executor. Results are in Spark's internal form. */
public sealed interface RowCall extends Serializable {
    /** A function that answers row by row while others wait. */
    non-sealed interface Submitted extends RowCall {
        /** Rows that a task has in the engine at once. */
        int inFlight();

        /**
         * Begins a row.
         *
         * @param arguments not used after the return
         * @return waits for the result, which may be null
         */
        Supplier<Object> submit(InternalRow arguments, TaskRequests requests);
    }

    /** A function that takes many rows at once. */
    non-sealed interface Windowed extends RowCall {
        /** How many. */
        default int window() {
            return EncodeRows.WINDOW;
        }

        /** The results of rows, in their order; null ones for rows that failed. */
        List<Object> all(List<InternalRow> arguments, TaskRequests requests);
    }
}
