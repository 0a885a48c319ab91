package io.kindling.spark.source;

import io.kindling.spark.config.Refusals;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.catalog.SupportsRead;
import org.apache.spark.sql.connector.catalog.TableCapability;
import org.apache.spark.sql.connector.read.LocalScan;
import org.apache.spark.sql.connector.read.ScanBuilder;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/**
 * A small table whose rows the driver makes when a query asks for them.
 *
 * @param name in messages and plans
 */
record DriverTable(String name, StructType schema, Supplier<List<InternalRow>> rows) implements SupportsRead {
    @Override
    @SuppressWarnings("deprecation") // Spark 3.5 has it abstract all the same
    public StructType schema() {
        return schema;
    }

    @Override
    public Set<TableCapability> capabilities() {
        return Set.of(TableCapability.BATCH_READ);
    }

    @Override
    public ScanBuilder newScanBuilder(CaseInsensitiveStringMap options) {
        return () -> new Rows(this);
    }

    /** Spark's errors and plans show it. */
    @Override
    public String toString() {
        return name;
    }

    private record Rows(DriverTable table) implements LocalScan {
        @Override
        public InternalRow[] rows() {
            return Refusals.orOf(table.name, table.rows).toArray(InternalRow[]::new);
        }

        @Override
        public StructType readSchema() {
            return table.schema;
        }

        @Override
        public String description() {
            return table.name;
        }
    }
}
