package io.kindling.engine;

import java.io.Serializable;

/**
 * What a job over many rows does when some of them fail.
 *
 * @param onError what becomes of a row whose answer is an error
 * @param maxErrorFraction share of failed rows above which the job gives up, in 0..1
 */
public record JobOptions(OnError onError, double maxErrorFraction) implements Serializable {
    /** What becomes of a row whose answer is an error. */
    public enum OnError {
        /** Its answer is NULL and its details say why. */
        NULL,
        /** It ends the job. */
        FAIL
    }

    public static JobOptions defaults() {
        return OptionTable.standard().defaults().job();
    }
}
