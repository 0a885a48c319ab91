package io.kindling.spark.source;

import static io.kindling.spark.convert.InternalValues.toInternalRow;

import io.kindling.spark.config.ModelNames;
import io.kindling.spark.runtime.ModelHeader;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.catalog.functions.UnboundFunction;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/** The tables of the catalog: of all models and functions, and of one model. */
public final class CatalogTables {
    private static final String MODELS = "models";
    private static final String FUNCTIONS = "functions";

    private CatalogTables() {}

    /** Names of the tables beside the models. */
    public static List<String> ofAll() {
        return List.of(MODELS, FUNCTIONS);
    }

    /** Names of the tables of each model. */
    public static List<String> ofAModel() {
        return Arrays.stream(MetadataKind.values()).map(MetadataKind::label).toList();
    }

    /** Spark's own DESCRIBE FUNCTION knows no functions of catalogs, hence a table of them. */
    public static Optional<Table> ofAll(
            String catalog, String table, ModelNames models, Collection<? extends UnboundFunction> functions) {
        return switch (table.toLowerCase(Locale.ROOT)) {
            case MODELS ->
                Optional.of(new DriverTable(
                        catalog + ".models",
                        new StructType()
                                .add("alias", DataTypes.StringType, true, "set by spark.kindling.model.<alias>")
                                .add("uri", DataTypes.StringType, true, "of a folder, an .onnx file or a .gguf file"),
                        () -> new TreeMap<>(models.aliases())
                                .entrySet().stream()
                                        .map(model -> toInternalRow(model.getKey(), model.getValue()))
                                        .toList()));
            case FUNCTIONS ->
                Optional.of(new DriverTable(
                        catalog + ".functions",
                        new StructType()
                                .add("name", DataTypes.StringType, true, "in SQL, behind the catalog's")
                                .add("usage", DataTypes.StringType, true, "arguments, result and meaning"),
                        () -> functions.stream()
                                .map(function -> toInternalRow(function.name(), function.description()))
                                .toList()));
            default -> Optional.empty();
        };
    }

    /**
     * A table that tells of one model.
     *
     * @param name in messages and plans
     */
    public static Optional<Table> ofAModel(String name, String table, String uri) {
        return Arrays.stream(MetadataKind.values())
                .filter(kind -> kind.label().equalsIgnoreCase(table))
                .findFirst()
                .map(kind -> new DriverTable(name, kind.schema(), () -> {
                    var hadoop = SparkSession.active().sparkContext().hadoopConfiguration();
                    return ModelHeader.readGguf(uri, hadoop)
                            .flatMap(kind::rows)
                            .orElseGet(() -> kind.rows(ModelHeader.read(uri, hadoop)));
                }));
    }
}
