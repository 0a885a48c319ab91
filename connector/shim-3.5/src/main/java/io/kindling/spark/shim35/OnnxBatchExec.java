package io.kindling.spark.shim35;

import io.kindling.spark.config.Refusals;
import io.kindling.spark.runtime.BatchedCalls;
import io.kindling.spark.runtime.RowCall;
import io.kindling.spark.runtime.RowSplit;
import java.util.List;
import java.util.Optional;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.AttributeSet;
import org.apache.spark.sql.catalyst.expressions.AttributeSet$;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.SortOrder;
import org.apache.spark.sql.catalyst.plans.physical.Partitioning;
import org.apache.spark.sql.catalyst.plans.physical.UnknownPartitioning;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.metric.SQLMetric;
import scala.collection.IndexedSeq;
import scala.collection.Iterator;
import scala.collection.Seq;
import scala.collection.immutable.Map;
import scala.reflect.ClassTag$;

/** {@link OnnxBatch}, planned: a partition's rows go through the executor's engines together. */
public final class OnnxBatchExec extends SparkPlan {
    private final Seq<Expression> calls;
    private final Seq<Attribute> results;
    private final SparkPlan child;
    private transient Map<String, SQLMetric> metrics;

    public OnnxBatchExec(Seq<Expression> calls, Seq<Attribute> results, SparkPlan child) {
        this.calls = calls;
        this.results = results;
        this.child = child;
    }

    private List<OnnxCall> calls() {
        return Trees.<Expression>list(calls).stream().map(OnnxCall.class::cast).toList();
    }

    @Override
    public synchronized Map<String, SQLMetric> metrics() {
        if (metrics == null) {
            metrics = OperatorMetrics.register(sparkContext());
        }
        return metrics;
    }

    @Override
    public RDD<InternalRow> doExecute() {
        JavaSparkContext context = JavaSparkContext.fromSparkContext(sparkContext());
        List<RowCall> prepared = calls().stream()
                .map(call ->
                        Refusals.orOf(call.prettyName(), () -> call.function().prepare(call.known(), context)))
                .toList();
        OperatorMetrics.watch(sparkContext(), metrics());
        BatchPartition partition = new BatchPartition(
                new BatchedCalls(prepared, OperatorMetrics.counters(metrics())),
                calls(),
                Trees.list(results),
                Trees.list(child.output()));
        return rows().mapPartitionsWithIndex(partition, false, ClassTag$.MODULE$.apply(InternalRow.class));
    }

    private RDD<InternalRow> rows() {
        return splitter()
                .map(call -> SplitRows.of(child.execute(), call, child.output()))
                .orElseGet(child::execute);
    }

    /** The call, if any, that has the rows split. */
    private Optional<OnnxCall> splitter() {
        return calls().stream().filter(call -> call.split().isPresent()).findFirst();
    }

    private Optional<RowSplit> split() {
        return splitter().flatMap(OnnxCall::split);
    }

    @Override
    public Seq<Attribute> output() {
        List<Attribute> all = Trees.list(child.output());
        all.addAll(Trees.<Attribute>list(results));
        return Trees.seq(all);
    }

    @Override
    @SuppressWarnings("unchecked") // a sequence of attributes is one of expressions
    public AttributeSet producedAttributes() {
        return AttributeSet$.MODULE$.apply((Seq<Expression>) (Object) results);
    }

    @Override
    public Partitioning outputPartitioning() {
        return split().<Partitioning>map(split -> new UnknownPartitioning(split.partitions()))
                .orElseGet(child::outputPartitioning);
    }

    @Override
    public Seq<SortOrder> outputOrdering() {
        return split().isPresent() ? Trees.seq(List.of()) : child.outputOrdering();
    }

    @Override
    public Seq<SparkPlan> children() {
        return Trees.seq(List.of(child));
    }

    @Override
    public SparkPlan withNewChildrenInternal(IndexedSeq<SparkPlan> newChildren) {
        return new OnnxBatchExec(calls, results, newChildren.head());
    }

    @Override
    public Iterator<Object> stringArgs() {
        List<String> parts = OnnxBatch.describe(calls(), Trees.list(results));
        split().ifPresent(split -> parts.add("rows split into " + split.partitions()));
        return Trees.<Object>seq(parts).iterator();
    }

    @Override
    public int productArity() {
        return 3;
    }

    @Override
    public Object productElement(int n) {
        return switch (n) {
            case 0 -> calls;
            case 1 -> results;
            case 2 -> child;
            default -> throw new IndexOutOfBoundsException(n);
        };
    }

    @Override
    public boolean canEqual(Object other) {
        return other instanceof OnnxBatchExec;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof OnnxBatchExec that
                && calls.equals(that.calls)
                && results.equals(that.results)
                && child.equals(that.child);
    }

    @Override
    public int hashCode() {
        return 31 * calls.hashCode() + child.hashCode();
    }
}
