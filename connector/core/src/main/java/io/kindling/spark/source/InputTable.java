package io.kindling.spark.source;

import java.util.List;
import java.util.Map;
import org.apache.spark.sql.DataFrameReader;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/**
 * What a job reads.
 *
 * @param table name of a table or view; empty for files
 * @param paths of files or folders
 * @param format of the files; empty for Spark's default
 * @param schema of the files as DDL; empty for their own
 * @param options of the format, or of the table's
 */
public record InputTable(String table, List<String> paths, String format, String schema, Map<String, String> options) {
    public InputTable {
        paths = List.copyOf(paths);
        options = Map.copyOf(options);
    }

    /** CSV files have a header unless the options say otherwise: prompts name columns. */
    public Dataset<Row> read(SparkSession session) {
        DataFrameReader reader = session.read();
        if (!table.isEmpty()) {
            return reader.options(options).table(table);
        }
        if (!format.isEmpty()) {
            reader = reader.format(format);
        }
        if (format.equalsIgnoreCase("csv")) {
            reader = reader.option("header", true);
        }
        if (!schema.isEmpty()) {
            reader = reader.schema(schema);
        }
        return reader.options(options).load(paths.toArray(String[]::new));
    }

    @Override
    public String toString() {
        return table.isEmpty() ? String.join(", ", paths) : table;
    }
}
