package io.kindling.spark;

import io.kindling.engine.error.OptionException;
import java.util.Arrays;
import org.apache.spark.sql.types.StructType;

/** The columns that an operator puts behind its input's. */
final class ResultColumns {
    private ResultColumns() {}

    /**
     * @param columns names to add; null ones are not asked for
     * @throws OptionException when the input has a column of such a name
     */
    static void refuseTaken(StructType input, String... columns) {
        for (String added : columns) {
            if (added != null && Arrays.stream(input.fieldNames()).anyMatch(added::equalsIgnoreCase)) {
                throw new OptionException("the input has a column '" + added
                        + "' already; name another one for the result, with into(…) or details(…)");
            }
        }
    }
}
