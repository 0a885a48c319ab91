package io.kindling.spark.source;

import io.kindling.engine.error.OptionException;
import java.util.HashMap;
import java.util.Map;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SQLContext;
import org.apache.spark.sql.sources.BaseRelation;
import org.apache.spark.sql.sources.Filter;
import org.apache.spark.sql.sources.PrunedFilteredScan;
import org.apache.spark.sql.types.StructType;

/** A table in the catalog of Spark 3.5, which keeps relations: the input is looked up anew for each query. */
public final class OnnxRelation extends BaseRelation implements PrunedFilteredScan {
    private final SQLContext context;
    private final Map<String, String> options;
    private final StructType schema;

    private OnnxRelation(SQLContext context, Map<String, String> options, StructType schema) {
        this.context = context;
        this.options = options;
        this.schema = schema;
    }

    /** @param stored options as the catalog has them, with the folder of a table of files */
    public static OnnxRelation of(SQLContext context, Map<String, String> stored) {
        Map<String, String> options = new HashMap<>(stored);
        if (options.containsKey("table")) {
            options.remove("path");
        }
        return new OnnxRelation(
                context, options, OnnxTable.of(context.sparkSession(), options).tableSchema());
    }

    /**
     * The table as it is now.
     *
     * @throws OptionException when it has got other columns
     */
    public OnnxTable table() {
        OnnxTable now = OnnxTable.of(context.sparkSession(), options);
        if (!StoredOptions.areSameColumns(schema, now.tableSchema())) {
            throw new OptionException(now.name() + " has other columns than before, "
                    + now.tableSchema().simpleString() + ": REFRESH TABLE makes Spark see them");
        }
        return now;
    }

    @Override
    public SQLContext sqlContext() {
        return context;
    }

    @Override
    public StructType schema() {
        return schema;
    }

    @Override
    public Filter[] unhandledFilters(Filter[] filters) {
        return new OnnxScanBuilder(table()).pushFilters(filters);
    }

    @Override
    public RDD<Row> buildScan(String[] columns, Filter[] filters) {
        OnnxScanBuilder builder = new OnnxScanBuilder(table());
        builder.pushFilters(filters);
        StructType wanted = new StructType();
        for (String column : columns) {
            wanted = wanted.add(schema.apply(column));
        }
        builder.pruneColumns(wanted);
        return builder.build().rows();
    }
}
