package io.kindling.spark.shim35;

import io.kindling.spark.runtime.RowSplit;
import java.io.Serializable;
import java.util.List;
import org.apache.spark.Partitioner;
import org.apache.spark.rdd.RDD;
import org.apache.spark.rdd.ShuffledRDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.execution.UnsafeRowSerializer;
import scala.Tuple2;
import scala.collection.AbstractIterator;
import scala.collection.Iterator;
import scala.collection.Seq;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;
import scala.runtime.AbstractFunction2;

/** Rows of a few large partitions in others of like work, by a shuffle. */
final class SplitRows extends AbstractFunction2<Object, Iterator<InternalRow>, Iterator<Tuple2<Object, InternalRow>>>
        implements Serializable {
    private static final long serialVersionUID = 1;

    private final RowSplit split;
    private final Expression prompt;
    private final Seq<Attribute> schema;

    private SplitRows(RowSplit split, Expression prompt, Seq<Attribute> schema) {
        this.split = split;
        this.prompt = prompt;
        this.schema = schema;
    }

    /**
     * @param call has the rows split, by its first argument
     * @param schema of the rows
     */
    static RDD<InternalRow> of(RDD<InternalRow> rows, OnnxCall call, Seq<Attribute> schema) {
        RowSplit split = call.split().orElseThrow();
        Expression prompt = call.arguments().get(0);
        ClassTag<InternalRow> row = ClassTag$.MODULE$.apply(InternalRow.class);
        ClassTag<Object> number = ClassTag$.MODULE$.Int();
        // where a row goes depends on those before it, so Spark repeats all tasks when rows may come in another order
        RDD<Tuple2<Object, InternalRow>> dealt = rows.mapPartitionsWithIndex(
                new SplitRows(split, prompt, schema), false, true, ClassTag$.MODULE$.apply(Tuple2.class));
        return new ShuffledRDD<Object, InternalRow, InternalRow>(dealt, new Dealt(split.partitions()), number, row, row)
                .setSerializer(new UnsafeRowSerializer(schema.size(), null))
                .mapPartitionsWithIndex(new Values(), false, row);
    }

    @Override
    public Iterator<Tuple2<Object, InternalRow>> apply(Object index, Iterator<InternalRow> rows) {
        RowSplit.Dealer dealer = split.new Dealer((Integer) index);
        UnsafeProjection prompts = UnsafeProjection.create(Trees.<Expression>seq(List.of(prompt)), schema);
        prompts.initialize((Integer) index);
        return new AbstractIterator<>() {
            @Override
            public boolean hasNext() {
                return rows.hasNext();
            }

            @Override
            public Tuple2<Object, InternalRow> next() {
                InternalRow row = rows.next();
                InternalRow text = prompts.apply(row);
                int bytes = text.isNullAt(0)
                        ? RowSplit.NO_PROMPT
                        : text.getUTF8String(0).numBytes();
                return new Tuple2<>(dealer.next(bytes), row.copy());
            }
        };
    }

    /** Keys are partitions. */
    private static final class Dealt extends Partitioner {
        private static final long serialVersionUID = 1;
        private final int partitions;

        Dealt(int partitions) {
            this.partitions = partitions;
        }

        @Override
        public int numPartitions() {
            return partitions;
        }

        @Override
        public int getPartition(Object key) {
            return (Integer) key;
        }
    }

    private static final class Values
            extends AbstractFunction2<Object, Iterator<Tuple2<Object, InternalRow>>, Iterator<InternalRow>>
            implements Serializable {
        private static final long serialVersionUID = 1;

        @Override
        public Iterator<InternalRow> apply(Object index, Iterator<Tuple2<Object, InternalRow>> pairs) {
            return new AbstractIterator<>() {
                @Override
                public boolean hasNext() {
                    return pairs.hasNext();
                }

                @Override
                public InternalRow next() {
                    return pairs.next()._2();
                }
            };
        }
    }
}
