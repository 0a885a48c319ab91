package io.kindling.spark.shim35;

import io.kindling.engine.error.KindlingException;
import java.util.function.Supplier;
import org.apache.spark.QueryContext;
import org.apache.spark.sql.AnalysisException;
import scala.Option;
import scala.Some;
import scala.collection.immutable.Map$;

/** What Spark's users see of a query that is refused at analysis. */
final class Refusals {
    private Refusals() {}

    /** Spark's own exception, which Scala does not declare: an unchecked one to the compiler. */
    static RuntimeException of(String message, Throwable cause) {
        return unchecked(new AnalysisException(
                message,
                Option.empty(),
                Option.empty(),
                cause == null ? Option.empty() : new Some<>(cause),
                Option.empty(),
                Map$.MODULE$.empty(),
                new QueryContext[0]));
    }

    /** What is made at analysis, or the fault as Spark's users see it. */
    static <T> T orOf(String what, Supplier<T> made) {
        try {
            return made.get();
        } catch (KindlingException fault) {
            throw of(what + ": " + fault.getMessage(), fault);
        }
    }

    @SuppressWarnings("unchecked") // the exception is thrown as it is
    private static <E extends Throwable> RuntimeException unchecked(Throwable exception) throws E {
        throw (E) exception;
    }
}
