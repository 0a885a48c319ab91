package io.kindling.spark.source;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.connector.read.SupportsPushDownFilters;
import org.apache.spark.sql.connector.read.SupportsPushDownLimit;
import org.apache.spark.sql.connector.read.SupportsPushDownRequiredColumns;
import org.apache.spark.sql.sources.Filter;
import org.apache.spark.sql.types.StructType;

/** Takes what Spark can say of a query before rows are read: columns, filters on the input's columns, a limit. */
final class OnnxScanBuilder implements SupportsPushDownFilters, SupportsPushDownLimit, SupportsPushDownRequiredColumns {
    private final OnnxTable table;
    private final Map<Filter, Column> pushed = new LinkedHashMap<>();
    private StructType columns;
    private int limit = -1;

    OnnxScanBuilder(OnnxTable table) {
        this.table = table;
        columns = table.tableSchema();
    }

    @Override
    public Filter[] pushFilters(Filter[] filters) {
        List<Filter> left = new ArrayList<>();
        for (Filter filter : filters) {
            Optional<Column> condition = ofInput(filter) ? PushedFilters.condition(filter) : Optional.empty();
            condition.ifPresentOrElse(known -> pushed.put(filter, known), () -> left.add(filter));
        }
        return left.toArray(Filter[]::new);
    }

    /** Names of nested fields begin with their column's. */
    private boolean ofInput(Filter filter) {
        List<String> input = Arrays.asList(table.inputSchema().fieldNames());
        return Arrays.stream(filter.v2references()).allMatch(reference -> input.contains(reference[0]));
    }

    @Override
    public Filter[] pushedFilters() {
        return pushed.keySet().toArray(Filter[]::new);
    }

    @Override
    public boolean pushLimit(int rows) {
        limit = rows;
        return true;
    }

    @Override
    public boolean isPartiallyPushed() {
        return false;
    }

    /** Structs are read whole, of which Spark may want a few fields only. */
    @Override
    public void pruneColumns(StructType required) {
        StructType whole = new StructType();
        for (String column : required.fieldNames()) {
            whole = whole.add(table.tableSchema().apply(column));
        }
        columns = whole;
    }

    @Override
    public OnnxScan build() {
        return new OnnxScan(table, columns, pushed, limit);
    }
}
