package io.kindling.spark.config;

import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import java.util.function.Supplier;
import org.apache.spark.QueryContext;
import org.apache.spark.sql.AnalysisException;
import scala.Option;
import scala.collection.immutable.Map$;

/** What Spark's users see of a query that is refused on the driver: Spark's own exception, by the constructor that all releases have. */
public final class Refusals {
    private Refusals() {}

    /** To be thrown; Scala does not declare it, so that it is an unchecked one to the compiler. */
    public static RuntimeException of(String message) {
        return of(message, null, null);
    }

    /**
     * One that Spark knows by its class.
     *
     * @param errorClass of Spark's, such as {@code UNRESOLVED_ROUTINE}
     */
    public static RuntimeException of(String message, String errorClass) {
        return of(message, errorClass, null);
    }

    /** With a cause spark-sql prints the stack traces of both. */
    private static RuntimeException of(String message, String errorClass, Throwable cause) {
        return unchecked(new AnalysisException(
                message,
                Option.empty(),
                Option.empty(),
                Option.apply(cause),
                Option.apply(errorClass),
                Map$.MODULE$.empty(),
                new QueryContext[0]));
    }

    /**
     * What is made on the driver, or the fault as Spark's users see it: a sentence, and with its cause only where that is Kindling's own.
     *
     * @param what was asked for, which begins the message
     */
    public static <T> T orOf(String what, Supplier<T> made) {
        try {
            return made.get();
        } catch (KindlingException fault) {
            throw of(what + ": " + fault.getMessage(), null, fault.code() == ErrorCode.INTERNAL ? fault : null);
        }
    }

    /** The same while Spark binds a function: of this exception it makes its own, which names the function and its place in the query. */
    public static <T> T whileBinding(String what, Supplier<T> made) {
        try {
            return made.get();
        } catch (KindlingException fault) {
            throw new UnsupportedOperationException(what + ": " + fault.getMessage(), fault);
        }
    }

    @SuppressWarnings("unchecked") // the exception is thrown as it is
    private static <E extends Throwable> RuntimeException unchecked(Throwable exception) throws E {
        throw (E) exception;
    }
}
