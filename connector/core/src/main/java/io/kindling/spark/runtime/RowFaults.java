package io.kindling.spark.runtime;

import io.kindling.engine.GenerationResult.RowError;
import io.kindling.engine.JobOptions.OnError;
import io.kindling.engine.error.KindlingException;
import io.kindling.spark.config.GenerationPlan;
import java.util.Optional;

/** Decides when the failed rows of a task end the job. */
final class RowFaults {
    /** The share of failed rows is judged from here on; of fewer rows it says little. */
    private static final int JUDGED_FROM = 100;

    private long rows;
    private long failed;

    /**
     * @param plan of this row
     * @throws KindlingException with the row's own error when that is to end the job
     */
    void check(GenerationPlan plan, String id, Optional<RowError> fault) {
        rows++;
        if (fault.isEmpty()) {
            return;
        }
        failed++;
        RowError error = fault.get();
        String row = id.isEmpty() ? "a row" : "row '" + id + "'";
        if (plan.job().onError() == OnError.FAIL) {
            throw new KindlingException(error.code(), row + " failed and onError is 'fail': " + error.message());
        }
        if (rows >= JUDGED_FROM && failed > plan.job().maxErrorFraction() * rows) {
            throw new KindlingException(
                    error.code(),
                    failed + " of the first " + rows + " rows of a task failed, more than maxErrorFraction "
                            + plan.job().maxErrorFraction() + " allows; the last one, " + row + ": " + error.message());
        }
    }
}
