package io.kindling.spark;

import io.kindling.spark.source.OnnxTable;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.catalog.TableProvider;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.sources.DataSourceRegister;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/**
 * {@code spark.read.format("onnx")}: a table, a view or files with what a model makes of each row beside it.
 *
 * <pre>{@code
 * spark.read().format("onnx").option("model", "smollm2").option("table", "questions")
 *         .option("prompt", "Q: {question} A:").option("maxNewTokens", 40).load();
 * }</pre>
 *
 * Only what a query asks for is generated: nothing for rows that a filter on the input's columns or a limit drops, and nothing at all
 * where no result column is asked for.
 */
public final class OnnxSource implements TableProvider, DataSourceRegister {
    /** Tables whose schema was asked for: Spark asks for the table next, and finding out the columns of CSV or JSON reads all of it. */
    private final Map<Map<String, String>, OnnxTable> asked = new ConcurrentHashMap<>();

    @Override
    public String shortName() {
        return "onnx";
    }

    @Override
    public StructType inferSchema(CaseInsensitiveStringMap options) {
        Map<String, String> given = Map.copyOf(options.asCaseSensitiveMap());
        OnnxTable table = OnnxTable.of(SparkSession.active(), given);
        asked.put(given, table);
        return table.tableSchema();
    }

    @Override
    public Table getTable(StructType schema, Transform[] partitioning, Map<String, String> properties) {
        OnnxTable table = asked.remove(Map.copyOf(properties));
        return table == null ? OnnxTable.of(SparkSession.active(), properties) : table;
    }
}
