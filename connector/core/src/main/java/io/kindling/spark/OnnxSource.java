package io.kindling.spark;

import io.kindling.spark.config.Refusals;
import io.kindling.spark.source.OnnxRelation;
import io.kindling.spark.source.OnnxTable;
import io.kindling.spark.source.StoredOptions;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.sql.SQLContext;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.catalog.TableProvider;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.execution.streaming.Source;
import org.apache.spark.sql.sources.BaseRelation;
import org.apache.spark.sql.sources.DataSourceRegister;
import org.apache.spark.sql.sources.RelationProvider;
import org.apache.spark.sql.sources.StreamSourceProvider;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;
import scala.Option;
import scala.Tuple2;

/**
 * {@code spark.read.format("onnx")}: a table, a view or files with what a model makes of each row beside it.
 *
 * <pre>{@code
 * spark.read().format("onnx").option("model", "smollm2").option("table", "questions")
 *         .option("prompt", "Q: {question} A:").option("maxNewTokens", 40).load();
 * }</pre>
 *
 * Only what a query asks for is generated: nothing for rows that a filter on the input's columns or a limit drops, and nothing at all
 * where no result column is asked for. Spark 3.5 reads a table that {@code CREATE TABLE … USING onnx} made through the
 * {@link RelationProvider}.
 */
public final class OnnxSource implements TableProvider, DataSourceRegister, RelationProvider, StreamSourceProvider {
    private static final String NAME = "format(\"onnx\")";

    /** Tables whose schema was asked for: Spark asks for the table next, and finding out the columns of CSV or JSON reads all of it. */
    private final Map<Map<String, String>, OnnxTable> asked = new ConcurrentHashMap<>();

    @Override
    public String shortName() {
        return "onnx";
    }

    @Override
    public StructType inferSchema(CaseInsensitiveStringMap options) {
        Map<String, String> given = Map.copyOf(options.asCaseSensitiveMap());
        OnnxTable table = open(StoredOptions.of(given));
        asked.put(given, table);
        return table.tableSchema();
    }

    private static OnnxTable open(Map<String, String> options) {
        if (new CaseInsensitiveStringMap(options).containsKey("checkpointLocation")) {
            throw notWritten();
        }
        return Refusals.orOf(NAME, () -> OnnxTable.of(SparkSession.active(), options));
    }

    /** So that Spark asks here what to do with rows to write and schemas given by users, and not refuses them without a word. */
    @Override
    public boolean supportsExternalMetadata() {
        return true;
    }

    /** A schema that was not asked for before is a user's, one of rows to write, or that of a table that a catalog keeps. */
    @Override
    public Table getTable(StructType schema, Transform[] partitioning, Map<String, String> properties) {
        OnnxTable known = asked.remove(Map.copyOf(properties));
        if (known != null) {
            return known;
        }
        Map<String, String> options = StoredOptions.of(properties);
        if (!new CaseInsensitiveStringMap(options).containsKey("prompt")) {
            throw notWritten();
        }
        OnnxTable table = open(options);
        if (!StoredOptions.areSameColumns(schema, table.tableSchema())) {
            throw Refusals.of(NAME + " has the columns of its input and the result, "
                    + table.tableSchema().simpleString() + ", not " + schema.simpleString()
                    + ": leave out .schema(…), and give that of input files with option 'input.schema';"
                    + " rows are written to another format");
        }
        return table;
    }

    private static RuntimeException notWritten() {
        return Refusals.of(NAME + " reads rows and asks a model of them, and is not written to: write them to another"
                + " format, such as parquet");
    }

    @Override
    public BaseRelation createRelation(SQLContext context, scala.collection.immutable.Map<String, String> parameters) {
        return Refusals.orOf(
                NAME,
                () -> OnnxRelation.of(
                        context, StoredOptions.of(scala.collection.JavaConverters.mapAsJavaMap(parameters))));
    }

    @Override
    public Tuple2<String, StructType> sourceSchema(
            SQLContext context,
            Option<StructType> schema,
            String provider,
            scala.collection.immutable.Map<String, String> parameters) {
        throw noStream();
    }

    @Override
    public Source createSource(
            SQLContext context,
            String metadataPath,
            Option<StructType> schema,
            String provider,
            scala.collection.immutable.Map<String, String> parameters) {
        throw noStream();
    }

    private static RuntimeException noStream() {
        return Refusals.of(NAME + " is no stream: read the stream from where it comes, name it with"
                + " createOrReplaceTempView(\"s\"), and ask the model of its rows: spark.sql(\"SELECT *,"
                + " onnx.generate('model', prompt) AS answer FROM s\"), or, with the session extension,"
                + " spark.read.format(\"onnx\").option(\"table\", \"s\"); both are streams then");
    }
}
