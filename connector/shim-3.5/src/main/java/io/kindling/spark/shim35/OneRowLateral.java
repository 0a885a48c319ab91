package io.kindling.spark.shim35;

import io.kindling.spark.config.Refusals;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.expressions.OuterReference;
import org.apache.spark.sql.catalyst.plans.logical.LateralJoin;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.OneRowRelation;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.catalyst.plans.logical.SubqueryAlias;

/** {@code LATERAL (SELECT f(t.c) AS r)} with calls, which Spark refuses as not deterministic: a projection over the outer rows. */
final class OneRowLateral {
    private OneRowLateral() {}

    static LogicalPlan join(LateralJoin lateral) {
        LogicalPlan inner = lateral.right().plan();
        boolean calls = Trees.exists(inner, node -> Trees.<Expression>list(node.expressions()).stream()
                .anyMatch(OnnxCall::isIn));
        if (!calls) {
            return lateral;
        }
        if (lateral.condition().isDefined() || !isOneRow(inner)) {
            throw Refusals.of(
                    "a LATERAL subquery that calls onnx functions must be a SELECT without FROM, and without ON:"
                            + " call them in a subquery over the outer table"
                            + " instead, as in FROM (SELECT *, onnx.f(c) AS r FROM t)");
        }
        List<Attribute> output = Trees.list(lateral.output());
        return Columns.only(output, over(inner, lateral.left()));
    }

    private static boolean isOneRow(LogicalPlan plan) {
        if (plan instanceof Project project) {
            return isOneRow(project.child());
        }
        return plan instanceof SubqueryAlias alias ? isOneRow(alias.child()) : plan instanceof OneRowRelation;
    }

    private static LogicalPlan over(LogicalPlan plan, LogicalPlan outer) {
        if (plan instanceof SubqueryAlias alias) {
            return over(alias.child(), outer);
        }
        if (plan instanceof Project project) {
            List<NamedExpression> list = new ArrayList<>();
            for (NamedExpression each : Trees.<NamedExpression>list(project.projectList())) {
                list.add((NamedExpression) Trees.rewrite((Expression) each, OneRowLateral::ofOuterRow));
            }
            return Columns.with(list, over(project.child(), outer));
        }
        return outer;
    }

    private static Expression ofOuterRow(Expression expression) {
        return expression instanceof OuterReference reference ? (Expression) reference.e() : expression;
    }
}
