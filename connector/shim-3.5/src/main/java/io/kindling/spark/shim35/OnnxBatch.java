package io.kindling.spark.shim35;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.AttributeSet;
import org.apache.spark.sql.catalyst.expressions.AttributeSet$;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Statistics;
import scala.Option;
import scala.collection.IndexedSeq;
import scala.collection.Iterator;
import scala.collection.Seq;

/** Rows with the results of calls behind: as many as the child has, in their order. Public for Catalyst, which copies nodes by reflection. */
public final class OnnxBatch extends LogicalPlan {
    private final Seq<Expression> calls;
    private final Seq<Attribute> results;
    private final LogicalPlan child;

    /**
     * @param calls of {@link OnnxCall}, placed
     * @param results a column for each
     */
    public OnnxBatch(Seq<Expression> calls, Seq<Attribute> results, LogicalPlan child) {
        this.calls = calls;
        this.results = results;
        this.child = child;
    }

    static OnnxBatch of(List<OnnxCall> calls, List<Attribute> results, LogicalPlan child) {
        return new OnnxBatch(Trees.<Expression>seq(calls), Trees.seq(results), child);
    }

    LogicalPlan child() {
        return child;
    }

    List<OnnxCall> calls() {
        return Trees.<Expression>list(calls).stream().map(OnnxCall.class::cast).toList();
    }

    List<Attribute> results() {
        return Trees.list(results);
    }

    OnnxBatch over(LogicalPlan newChild) {
        return new OnnxBatch(calls, results, newChild);
    }

    @Override
    public Seq<Attribute> output() {
        List<Attribute> all = Trees.list(child.output());
        all.addAll(results());
        return Trees.seq(all);
    }

    @Override
    @SuppressWarnings("unchecked") // a sequence of attributes is one of expressions
    public AttributeSet producedAttributes() {
        return AttributeSet$.MODULE$.apply((Seq<Expression>) (Object) results);
    }

    @Override
    public Option<Object> maxRows() {
        return child.maxRows();
    }

    @Override
    public Option<Object> maxRowsPerPartition() {
        return child.maxRowsPerPartition();
    }

    /** The child's rows, and for each its results: without this Spark would take these for nothing. */
    @Override
    public Statistics stats() {
        return BatchStatistics.of(child, calls(), results());
    }

    /** EXPLAIN COST shows statistics from a cache that this node goes past. */
    @Override
    public String verboseStringWithSuffix(int maxFields) {
        return super.verboseStringWithSuffix(maxFields) + ", " + stats();
    }

    @Override
    public Seq<LogicalPlan> children() {
        return Trees.seq(List.of(child));
    }

    @Override
    public LogicalPlan withNewChildrenInternal(IndexedSeq<LogicalPlan> newChildren) {
        return over(newChildren.head());
    }

    @Override
    public Iterator<Object> stringArgs() {
        return Trees.<Object>seq(describe(calls(), results())).iterator();
    }

    /** What a plan shows of calls. */
    static List<String> describe(List<OnnxCall> calls, List<Attribute> results) {
        List<String> parts = new ArrayList<>();
        for (int i = 0; i < calls.size(); i++) {
            OnnxCall call = calls.get(i);
            String mask = call.mask().map(condition -> " if " + condition).orElse("");
            parts.add(call.describe() + mask + " AS " + results.get(i));
        }
        return parts;
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
        return other instanceof OnnxBatch;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof OnnxBatch that
                && calls.equals(that.calls)
                && results.equals(that.results)
                && child.equals(that.child);
    }

    @Override
    public int hashCode() {
        return 31 * calls.hashCode() + child.hashCode();
    }
}
