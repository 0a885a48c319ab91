package io.kindling.spark.shim35;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.AttributeReference;
import org.apache.spark.sql.catalyst.expressions.ExprId;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.types.Metadata;
import scala.Option;

/** Columns that rules make. */
final class Columns {
    private Columns() {}

    static Alias alias(Expression expression, String name) {
        return alias(expression, name, NamedExpression.newExprId());
    }

    /** An expression in the place of a column. */
    static Alias as(Expression expression, Attribute column) {
        return alias(expression, column.name(), column.exprId());
    }

    private static Alias alias(Expression expression, String name, ExprId id) {
        return new Alias(expression, name, id, Trees.seq(List.of()), Option.empty(), Trees.seq(List.of()));
    }

    static Attribute result(OnnxCall call) {
        return new AttributeReference(
                "_onnx_" + call.function().name(),
                call.dataType(),
                true,
                Metadata.empty(),
                NamedExpression.newExprId(),
                Trees.seq(List.of()));
    }

    /** A projection on columns. */
    static LogicalPlan only(List<Attribute> columns, LogicalPlan child) {
        return new Project(Trees.<NamedExpression>seq(columns), child);
    }

    /** A projection that adds columns. */
    static LogicalPlan with(List<? extends NamedExpression> added, LogicalPlan child) {
        List<NamedExpression> all = new ArrayList<>(Trees.<NamedExpression>list(child.output()));
        all.addAll(added);
        return new Project(Trees.seq(all), child);
    }
}
