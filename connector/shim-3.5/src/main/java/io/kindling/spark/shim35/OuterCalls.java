package io.kindling.spark.shim35;

import io.kindling.spark.config.Refusals;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.OuterReference;
import org.apache.spark.sql.catalyst.expressions.SubqueryExpression;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import scala.collection.Seq;

/**
 * Calls in the conditions of a subquery that take columns of the query around it alone. Spark moves such a condition into a join with the
 * outer query, which would not keep the result of a call, so that the call becomes a column of the outer query, below the node that
 * has the subquery.
 */
final class OuterCalls {
    private final LogicalPlan child;
    private final Map<Expression, Alias> lifted = new LinkedHashMap<>();

    private OuterCalls(LogicalPlan child) {
        this.child = child;
    }

    /** Whether an expression is a subquery with such calls. */
    static boolean areIn(Expression expression) {
        return expression instanceof SubqueryExpression subquery
                && Trees.exists(
                        subquery.plan(),
                        node -> node instanceof Filter filter && Trees.exists(filter.condition(), OuterCalls::isOne));
    }

    private static boolean isOne(Expression expression) {
        return OnnxCall.isUnplaced(expression) && PulledCalls.isOfOuterQuery(expression);
    }

    /** A projection or filter without them; conditions of a filter that have none come before. */
    static LogicalPlan lift(LogicalPlan node) {
        if (node instanceof Project project && holds(Trees.expressions(project.projectList()))) {
            OuterCalls calls = new OuterCalls(project.child());
            LogicalPlan above = project.mapExpressions(calls::without);
            return above.withNewChildren(Trees.<LogicalPlan>seq(List.of(calls.below(project.child()))));
        }
        if (node instanceof Filter filter && holds(List.of(filter.condition()))) {
            List<Expression> first = new ArrayList<>();
            List<Expression> then = new ArrayList<>();
            OuterCalls calls = new OuterCalls(filter.child());
            for (Expression conjunct : Trees.conjuncts(filter.condition())) {
                Expression without = calls.without(conjunct);
                (without == conjunct ? first : then).add(without);
            }
            LogicalPlan rows = first.isEmpty() ? filter.child() : new Filter(Trees.and(first), filter.child());
            return then.isEmpty()
                    ? rows
                    : Columns.only(Trees.list(filter.output()), new Filter(Trees.and(then), calls.below(rows)));
        }
        return node;
    }

    /** Refuses those that could not be lifted. */
    static LogicalPlan refuse(LogicalPlan plan) {
        Trees.<Expression>list(plan.expressions()).forEach(OuterCalls::refuse);
        return plan.mapChildren(OuterCalls::refuse);
    }

    private static void refuse(Expression expression) {
        if (areIn(expression)) {
            conditions(((SubqueryExpression) expression).plan(), each -> {
                if (isOne(each)) {
                    throw refusal(each);
                }
                return each;
            });
        }
        Trees.<Expression>list(expression.children()).forEach(OuterCalls::refuse);
    }

    static RuntimeException refusal(Expression call) {
        return Refusals.of("the condition of a subquery calls " + call.sql()
                + " over columns of the query around it: call it there, as in FROM (SELECT *, onnx.f(c) AS r FROM t) x WHERE EXISTS (… WHERE"
                + " … = x.r)");
    }

    private static boolean holds(List<Expression> expressions) {
        return expressions.stream().anyMatch(expression -> Trees.exists(expression, OuterCalls::areIn));
    }

    private LogicalPlan below(LogicalPlan rows) {
        return Columns.with(List.copyOf(lifted.values()), rows);
    }

    /** Subqueries with references to the columns that calls become. */
    private Expression without(Expression expression) {
        if (areIn(expression)) {
            return without((SubqueryExpression) expression);
        }
        return expression.mapChildren(this::without);
    }

    private Expression without(SubqueryExpression subquery) {
        Set<Expression> outer = new LinkedHashSet<>();
        LogicalPlan plan = conditions(subquery.plan(), each -> {
            if (!isOne(each)) {
                return each;
            }
            Expression call =
                    Trees.rewrite(each, part -> part instanceof OuterReference of ? (Expression) of.e() : part);
            if (!call.references().subsetOf(child.outputSet())) {
                throw refusal(each);
            }
            Alias column = lifted.computeIfAbsent(call.canonicalized(), first -> Columns.alias(call, "_onnx_outer"));
            outer.add(column.toAttribute());
            return new OuterReference(column.toAttribute());
        });
        @SuppressWarnings(
                "unchecked") // of columns of the outer query that the subquery reads, which all kinds have there
        List<Expression> before = Trees.list((Seq<Expression>) subquery.productElement(1));
        outer.addAll(before);
        return Trees.copy((Expression) subquery, plan, Trees.seq(outer));
    }

    private static LogicalPlan conditions(LogicalPlan plan, UnaryOperator<Expression> rule) {
        LogicalPlan above = plan.mapChildren(below -> conditions(below, rule));
        return above instanceof Filter filter
                ? new Filter(PulledCalls.pullOuter(filter.condition(), rule), filter.child())
                : above;
    }
}
