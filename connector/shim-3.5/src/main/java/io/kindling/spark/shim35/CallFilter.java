package io.kindling.spark.shim35;

import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Unevaluable;
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenContext;
import org.apache.spark.sql.catalyst.expressions.codegen.ExprCode;
import org.apache.spark.sql.types.DataType;
import scala.collection.IndexedSeq;
import scala.collection.Seq;

/**
 * A condition behind FILTER that has calls: Spark refuses those that are not deterministic when it resolves the aggregate, so that this
 * one says it is until {@link MarkCalls} has moved its calls below the aggregate.
 */
public final class CallFilter extends Expression implements Unevaluable {
    private static final long serialVersionUID = 1;

    private final Expression condition;

    public CallFilter(Expression condition) {
        this.condition = condition;
    }

    Expression condition() {
        return condition;
    }

    @Override
    public boolean deterministic() {
        return true;
    }

    @Override
    public boolean foldable() {
        return false;
    }

    @Override
    public boolean nullable() {
        return condition.nullable();
    }

    @Override
    public DataType dataType() {
        return condition.dataType();
    }

    @Override
    public Object eval(InternalRow input) {
        throw new UnsupportedOperationException(condition.sql() + " has calls, which FILTER cannot evaluate here");
    }

    @Override
    public ExprCode doGenCode(CodegenContext context, ExprCode code) {
        throw new UnsupportedOperationException(condition.sql() + " has calls, which FILTER cannot evaluate here");
    }

    @Override
    public Seq<Expression> children() {
        return Trees.seq(List.of(condition));
    }

    @Override
    public Expression withNewChildrenInternal(IndexedSeq<Expression> newChildren) {
        return new CallFilter(newChildren.head());
    }

    @Override
    public String toString() {
        return condition.toString();
    }

    @Override
    public String sql() {
        return condition.sql();
    }

    @Override
    public int productArity() {
        return 1;
    }

    @Override
    public Object productElement(int n) {
        return condition;
    }

    @Override
    public boolean canEqual(Object other) {
        return other instanceof CallFilter;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof CallFilter that && condition.equals(that.condition);
    }

    @Override
    public int hashCode() {
        return 31 * condition.hashCode();
    }
}
