package io.kindling.spark;

import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.sql.SparkSessionExtensions;
import org.apache.spark.sql.SparkSessionExtensionsProvider;
import scala.runtime.BoxedUnit;

/**
 * Turns Kindling on in a session: registers the catalog {@code onnx} unless another one has the name. Spark finds it in the
 * jar; PySpark 3.5 needs {@code spark.sql.extensions=io.kindling.spark.KindlingExtensions}.
 */
public final class KindlingExtensions implements SparkSessionExtensionsProvider {
    @Override
    public BoxedUnit apply(SparkSessionExtensions extensions) {
        // Extensions are applied after the context has started and before the session copies the context's settings.
        SparkConf settings = SparkEnv.get().conf();
        settings.setIfMissing("spark.sql.catalog." + OnnxCatalog.DEFAULT_NAME, OnnxCatalog.class.getName());
        return BoxedUnit.UNIT;
    }
}
