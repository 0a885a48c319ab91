package io.kindling.spark.shim35;

import io.kindling.spark.runtime.BatchedCalls;
import io.kindling.spark.runtime.BatchedCalls.Answered;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.BasePredicate;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.JoinedRow;
import org.apache.spark.sql.catalyst.expressions.Predicate$;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import scala.collection.AbstractIterator;
import scala.collection.Iterator;
import scala.collection.Seq;
import scala.runtime.AbstractFunction2;

/** The operator's work on a partition: Spark's rows in, arguments of calls to the core's {@link BatchedCalls}, Spark's rows out. */
final class BatchPartition extends AbstractFunction2<Object, Iterator<InternalRow>, Iterator<InternalRow>>
        implements Serializable {
    private static final long serialVersionUID = 1;

    private final BatchedCalls batched;
    private final ArrayList<OnnxCall> calls;
    private final ArrayList<Attribute> results;
    private final ArrayList<Attribute> input;

    BatchPartition(BatchedCalls batched, List<OnnxCall> calls, List<Attribute> results, List<Attribute> input) {
        this.batched = batched;
        this.calls = new ArrayList<>(calls);
        this.results = new ArrayList<>(results);
        this.input = new ArrayList<>(input);
    }

    @Override
    public Iterator<InternalRow> apply(Object index, Iterator<InternalRow> rows) {
        int partition = (Integer) index;
        List<CallArguments> readers =
                calls.stream().map(call -> new CallArguments(call, partition)).toList();
        java.util.Iterator<Answered> answered =
                batched.run(copies(rows), (call, row) -> readers.get(call).read(row));
        List<Expression> all = new ArrayList<>(input);
        all.addAll(results);
        List<Attribute> schema = new ArrayList<>(input);
        schema.addAll(results);
        UnsafeProjection output = UnsafeProjection.create(Trees.<Expression>seq(all), Trees.<Attribute>seq(schema));
        output.initialize(partition);
        JoinedRow joined = new JoinedRow();
        return new AbstractIterator<>() {
            @Override
            public boolean hasNext() {
                return answered.hasNext();
            }

            @Override
            public InternalRow next() {
                Answered row = answered.next();
                return output.apply(joined.apply(row.row(), new GenericInternalRow(row.results())));
            }
        };
    }

    /** Spark gives all rows of a partition in the same buffer. */
    private static java.util.Iterator<InternalRow> copies(Iterator<InternalRow> rows) {
        return new java.util.Iterator<>() {
            @Override
            public boolean hasNext() {
                return rows.hasNext();
            }

            @Override
            public InternalRow next() {
                return rows.next().copy();
            }
        };
    }

    /** Evaluates the arguments of a call in the rows that its condition lets through. */
    private final class CallArguments {
        private final BasePredicate needed;
        private final UnsafeProjection arguments;

        CallArguments(OnnxCall call, int partition) {
            Seq<Attribute> schema = Trees.seq(input);
            needed = call.mask()
                    .map(mask -> Predicate$.MODULE$.create(mask, schema))
                    .orElse(null);
            arguments = UnsafeProjection.create(Trees.<Expression>seq(call.arguments()), schema);
            arguments.initialize(partition);
            if (needed != null) {
                needed.initialize(partition);
            }
        }

        InternalRow read(InternalRow row) {
            return needed == null || needed.eval(row) ? arguments.apply(row) : null;
        }
    }
}
