package io.kindling.spark.source;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SQLContext;
import org.apache.spark.sql.connector.read.V1Scan;
import org.apache.spark.sql.sources.BaseRelation;
import org.apache.spark.sql.sources.Filter;
import org.apache.spark.sql.sources.TableScan;
import org.apache.spark.sql.types.StructType;

/**
 * The part of a table that a query asks for, as a plan of its own over the input: only Spark's old interface of scans lets a source
 * bring one.
 */
final class OnnxScan implements V1Scan {
    private final OnnxTable table;
    private final StructType columns;
    private final Map<Filter, Column> filters;
    private final int limit;

    /** @param limit most rows; negative for all */
    OnnxScan(OnnxTable table, StructType columns, Map<Filter, Column> filters, int limit) {
        this.table = table;
        this.columns = columns;
        this.filters = filters;
        this.limit = limit;
    }

    @Override
    public StructType readSchema() {
        return columns;
    }

    @Override
    public String description() {
        List<String> parts = new ArrayList<>();
        if (!table.needsModel(columns)) {
            parts.add("model not needed");
        }
        new TreeMap<>(table.callOptions()).forEach((name, value) -> parts.add(name + "=" + value));
        if (!filters.isEmpty()) {
            parts.add("filters " + filters.keySet());
        }
        if (limit >= 0) {
            parts.add("limit " + limit);
        }
        return table.name() + (parts.isEmpty() ? "" : " (" + String.join(", ", parts) + ")");
    }

    @Override
    @SuppressWarnings("unchecked") // the method's type is the caller's choice, and Spark asks for no more than this
    public <T extends BaseRelation & TableScan> T toV1TableScan(SQLContext context) {
        return (T) new Rows(this, context);
    }

    RDD<Row> rows() {
        return table.rows(columns, List.copyOf(filters.values()), limit).rdd();
    }

    private static final class Rows extends BaseRelation implements TableScan {
        private final OnnxScan scan;
        private final SQLContext context;

        Rows(OnnxScan scan, SQLContext context) {
            this.scan = scan;
            this.context = context;
        }

        @Override
        public SQLContext sqlContext() {
            return context;
        }

        @Override
        public StructType schema() {
            return scan.columns;
        }

        @Override
        public RDD<Row> buildScan() {
            return scan.rows();
        }

        @Override
        public String toString() {
            return scan.description();
        }
    }
}
