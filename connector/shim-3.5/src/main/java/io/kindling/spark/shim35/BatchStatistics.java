package io.kindling.spark.shim35;

import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.AttributeMap$;
import org.apache.spark.sql.catalyst.plans.logical.ColumnStat;
import org.apache.spark.sql.catalyst.plans.logical.ColumnStat$;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Statistics;
import org.apache.spark.sql.catalyst.plans.logical.statsEstimation.EstimationUtils;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.StructType;
import scala.Option;
import scala.Some;
import scala.Tuple2;
import scala.math.BigInt;

/**
 * What Spark is told of an {@link OnnxBatch}'s size. Above it Spark divides the size among columns by the default sizes of their types,
 * in which a vector is one number, so that the size is such that the part of each result is no less than what it takes: too much rather
 * than a vector to be sent to all executors. Where Spark knows the number of rows and estimates costs it takes the sizes of columns
 * instead; of a struct's fields it has none, so that their number is kept from it.
 */
final class BatchStatistics {
    /** What Spark adds for a row. */
    private static final long OVERHEAD = 8;

    private BatchStatistics() {}

    static Statistics of(LogicalPlan child, List<OnnxCall> calls, List<Attribute> results) {
        Statistics of = child.stats();
        BigInt rows = of.rowCount().isDefined()
                ? of.rowCount().get()
                : of.sizeInBytes().$div(EstimationUtils.getSizePerRow(child.output(), of.attributeStats()));
        long width = OVERHEAD
                + LongStream.concat(widths(Trees.list(child.output())), widths(results))
                        .sum();
        List<Tuple2<Attribute, ColumnStat>> sizes =
                Trees.list(of.attributeStats().toSeq());
        long added = 0;
        long row = 0;
        boolean structs = false;
        for (int i = 0; i < calls.size(); i++) {
            long bytes = calls.get(i).resultBytes();
            DataType type = results.get(i).dataType();
            added += bytes;
            row = Math.max(row, bytes * width / (OVERHEAD + leastWidth(type)));
            structs |= type instanceof StructType;
            sizes.add(new Tuple2<>(results.get(i), length(bytes)));
        }
        BigInt size = of.sizeInBytes().$plus(rows.$times(BigInt.apply(added)));
        return new Statistics(
                size.max(rows.$times(BigInt.apply(row))),
                structs ? Option.empty() : of.rowCount(),
                AttributeMap$.MODULE$.apply(Trees.seq(sizes)),
                of.isRuntime());
    }

    private static LongStream widths(List<Attribute> columns) {
        return columns.stream().mapToLong(column -> column.dataType().defaultSize());
    }

    /** The default size of what may hold most of a result: of a struct the field of the smallest. */
    private static long leastWidth(DataType type) {
        return type instanceof StructType struct
                ? Arrays.stream(struct.fields())
                        .map(field -> field.dataType())
                        .filter(field -> field instanceof StringType || field instanceof ArrayType)
                        .mapToLong(DataType::defaultSize)
                        .min()
                        .orElse(type.defaultSize())
                : type.defaultSize();
    }

    private static ColumnStat length(long bytes) {
        return new ColumnStat(
                Option.empty(),
                Option.empty(),
                Option.empty(),
                Option.empty(),
                new Some<>(bytes),
                new Some<>(bytes),
                Option.empty(),
                ColumnStat$.MODULE$.$lessinit$greater$default$8());
    }
}
