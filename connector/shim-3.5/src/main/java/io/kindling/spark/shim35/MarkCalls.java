package io.kindling.spark.shim35;

import io.kindling.spark.config.Refusals;
import io.kindling.spark.functions.BatchFunction;
import org.apache.spark.sql.catalyst.expressions.ApplyFunctionExpression;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.NamedLambdaVariable;
import org.apache.spark.sql.catalyst.expressions.SubqueryExpression;
import org.apache.spark.sql.catalyst.plans.logical.Aggregate;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.Generate;
import org.apache.spark.sql.catalyst.plans.logical.Join;
import org.apache.spark.sql.catalyst.plans.logical.LateralJoin;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.catalyst.plans.logical.RepartitionByExpression;
import org.apache.spark.sql.catalyst.plans.logical.Sort;
import org.apache.spark.sql.catalyst.plans.logical.Window;
import org.apache.spark.sql.catalyst.rules.Rule;

/**
 * The analyser's part: makes an {@link OnnxCall} of each call of the catalog's functions that the batch operator can run, having
 * checked what is known of it, and moves calls out of places where Spark would refuse them. Calls elsewhere, such as on the
 * variable of a lambda, stay functions that are run row by row.
 */
final class MarkCalls extends Rule<LogicalPlan> {
    @Override
    public LogicalPlan apply(LogicalPlan plan) {
        return plan.resolved() ? OuterCalls.refuse(mark(plan)) : plan;
    }

    private LogicalPlan mark(LogicalPlan plan) {
        if (!Trees.exists(plan, node -> node instanceof LateralJoin || hasFunctions(node))) {
            return plan;
        }
        LogicalPlan above = plan.mapChildren(this::mark);
        if (above instanceof LateralJoin lateral) {
            return OneRowLateral.join(withSubqueries(lateral)); // the analyser has marked the subquery by itself
        }
        if (!hasFunctions(above)) {
            return above;
        }
        if (above instanceof Filter filter && PulledCalls.isOfOuterQuery(filter.condition())) {
            return PulledCalls.belowCorrelated(filter, this::mark);
        }
        if (above instanceof Project || above instanceof Filter) {
            return OuterCalls.lift(above.mapExpressions(this::mark));
        }
        if (above instanceof Aggregate aggregate) {
            return PulledCalls.below(aggregate, this::mark);
        }
        if (above instanceof Join join) {
            return PulledCalls.below(join, this::mark);
        }
        if (above instanceof Sort
                || above instanceof RepartitionByExpression
                || above instanceof Window
                || above instanceof Generate) {
            return PulledCalls.below(above.mapExpressions(this::mark));
        }
        return withSubqueries(above);
    }

    private static boolean hasFunctions(LogicalPlan plan) {
        return Trees.<Expression>list(plan.expressions()).stream()
                .anyMatch(expression -> Trees.exists(expression, MarkCalls::isOrHoldsFunction));
    }

    private static boolean isOrHoldsFunction(Expression expression) {
        return expression instanceof ApplyFunctionExpression function
                        && BatchFunction.of(function.function()).isPresent()
                || expression instanceof CallFilter
                || OuterCalls.areIn(expression)
                || expression instanceof SubqueryExpression subquery
                        && Trees.exists(subquery.plan(), MarkCalls::hasFunctions);
    }

    private <T extends LogicalPlan> T withSubqueries(T plan) {
        @SuppressWarnings("unchecked") // mapping expressions keeps the type of a node
        T mapped = (T) plan.mapExpressions(expression -> Trees.rewrite(expression, this::markSubquery));
        return mapped;
    }

    private Expression mark(Expression expression) {
        return Trees.rewrite(expression, each -> markSubquery(markCall(each)));
    }

    private Expression markSubquery(Expression expression) {
        return expression instanceof SubqueryExpression subquery
                        && Trees.exists(subquery.plan(), MarkCalls::hasFunctions)
                ? (Expression) subquery.withNewPlan(mark(subquery.plan()))
                : expression;
    }

    private static Expression markCall(Expression expression) {
        if (expression instanceof CallFilter filter) {
            return filter.condition();
        }
        if (!(expression instanceof ApplyFunctionExpression applied)
                || Trees.exists(expression, NamedLambdaVariable.class::isInstance)) {
            return expression;
        }
        return BatchFunction.of(applied.function())
                .<Expression>map(function -> checked(new OnnxCall(function, applied.children(), false, false)))
                .orElse(expression);
    }

    private static OnnxCall checked(OnnxCall call) {
        return Refusals.orOf(call.prettyName(), () -> {
            call.function().check(call.known());
            return call;
        });
    }
}
