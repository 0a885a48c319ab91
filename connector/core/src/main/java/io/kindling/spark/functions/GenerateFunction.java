package io.kindling.spark.functions;

import io.kindling.spark.config.SessionSettings;
import io.kindling.spark.runtime.DeterministicFaults;
import io.kindling.spark.runtime.HadoopSettings;
import java.time.LocalDateTime;
import java.util.Map;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.connector.catalog.functions.BoundFunction;
import org.apache.spark.sql.connector.catalog.functions.UnboundFunction;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.NullType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/**
 * {@code generate(model, prompt [, options])}: the answer, NULL for a NULL prompt or a row that failed;
 * {@code generate_details(…)}: the same as a struct.
 */
public final class GenerateFunction implements UnboundFunction {
    private final boolean details;

    private GenerateFunction(boolean details) {
        this.details = details;
    }

    public static GenerateFunction text() {
        return new GenerateFunction(false);
    }

    public static GenerateFunction details() {
        return new GenerateFunction(true);
    }

    @Override
    public String name() {
        return details ? "generate_details" : "generate";
    }

    @Override
    public String description() {
        return name()
                + "(model STRING, prompt STRING [, options MAP<STRING, …>]): generates a text with a model given by"
                + " alias or URI" + (details ? "; text, finish reason, token counts and error as a struct" : "");
    }

    @Override
    public BoundFunction bind(StructType inputType) {
        StructField[] arguments = inputType.fields();
        if (arguments.length < 2 || arguments.length > 3) {
            throw refused("takes 2 or 3 arguments, not " + arguments.length);
        }
        for (int i = 0; i < 2; i++) {
            if (!isText(arguments[i].dataType())) {
                throw refused("needs a string as argument " + (i + 1) + ", not "
                        + arguments[i].dataType().sql() + "; cast it");
            }
        }
        if (arguments.length == 3 && !isOptions(arguments[2].dataType())) {
            throw refused("needs options as a map from strings to strings, numbers or booleans, not "
                    + arguments[2].dataType().sql());
        }
        SparkSession session = SparkSession.active();
        SessionSettings settings = SessionSettings.of(session);
        LocalDateTime now = LocalDateTime.now();
        settings.plan(Map.of(), now); // a bad setting fails here, not in every row
        DeterministicFaults.watch(session.sparkContext());
        RowGenerator generator = new RowGenerator(
                settings, HadoopSettings.of(session.sparkContext().hadoopConfiguration()), now);
        return details
                ? new BoundGenerateDetails(generator, Arguments.of(inputType))
                : new BoundGenerate(generator, Arguments.of(inputType));
    }

    private static boolean isText(DataType type) {
        return type instanceof StringType || type instanceof NullType;
    }

    private static boolean isOptions(DataType type) {
        return type instanceof NullType
                || type instanceof MapType map
                        && map.keyType() instanceof StringType
                        && !(map.valueType() instanceof MapType || map.valueType() instanceof StructType);
    }

    private UnsupportedOperationException refused(String why) {
        return new UnsupportedOperationException("onnx." + name() + ' ' + why + "; " + description());
    }
}
