package io.kindling.spark;

import java.util.Optional;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.package$;
import org.apache.spark.sql.SparkSessionExtensions;
import org.apache.spark.sql.SparkSessionExtensionsProvider;
import scala.runtime.BoxedUnit;

/**
 * Turns Kindling on in a session: registers the catalog {@code onnx} unless another one has the name. Spark finds it in the
 * jar, with rules that batch the catalog's functions; PySpark 3.5 needs {@code spark.sql.extensions=io.kindling.spark.KindlingExtensions}.
 */
public final class KindlingExtensions implements SparkSessionExtensionsProvider {
    @Override
    public BoxedUnit apply(SparkSessionExtensions extensions) {
        // Extensions are applied after the context has started and before the session copies the context's settings.
        SparkConf settings = SparkEnv.get().conf();
        settings.setIfMissing("spark.sql.catalog." + OnnxCatalog.DEFAULT_NAME, OnnxCatalog.class.getName());
        rules().ifPresent(rules -> rules.inject(extensions));
        return BoxedUnit.UNIT;
    }

    /** Those of this Spark; the core alone, without the jar around it, has none and runs functions row by row. */
    private static Optional<PlanRules> rules() {
        String name = "io.kindling.spark.shim"
                + (package$.MODULE$.SPARK_VERSION().startsWith("3.") ? "35" : "4") + ".OnnxRules";
        try {
            return Optional.of(
                    (PlanRules) Class.forName(name).getDeclaredConstructor().newInstance());
        } catch (ClassNotFoundException e) {
            return Optional.empty();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(name + " cannot be made", e);
        }
    }
}
