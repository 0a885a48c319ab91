package io.kindling.spark.shim35;

import io.kindling.spark.config.Refusals;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.expressions.OuterReference;
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression;
import org.apache.spark.sql.catalyst.plans.Cross$;
import org.apache.spark.sql.catalyst.plans.Inner$;
import org.apache.spark.sql.catalyst.plans.logical.Aggregate;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.Join;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import scala.Option;
import scala.Some;

/** Calls that move from a node into a projection below it; equal ones into one column. */
final class PulledCalls {
    private final Map<Expression, Alias> columns = new LinkedHashMap<>();

    private PulledCalls() {}

    private Expression column(Expression expression, String name) {
        return columns.computeIfAbsent(expression.canonicalized(), first -> Columns.alias(expression, name))
                .toAttribute();
    }

    /** The column for a call, else the expression. */
    private Expression pulled(Expression expression) {
        return OnnxCall.isUnplaced(expression) ? column(expression, "_onnx_call") : expression;
    }

    /** The column for a call that has one already, else the expression. */
    private Expression known(Expression expression) {
        Alias column = OnnxCall.isUnplaced(expression) ? columns.get(expression.canonicalized()) : null;
        return column == null ? expression : column.toAttribute();
    }

    private Expression pullFrom(Expression expression) {
        return pullOuter(expression, this::pulled);
    }

    /** A condition of FILTER goes below whole, so that what stands before a call in it decides which rows are asked. */
    private Expression ofAggregate(Expression aggregate) {
        Option<Expression> filter = ((AggregateExpression) aggregate).filter();
        return pullFrom(aggregate.mapChildren(
                child -> filter.contains(child) && OnnxCall.isIn(child) ? column(child, "_onnx_filter") : child));
    }

    /** Rewrites whole calls, outer ones first, so that calls within calls stay in them. */
    static Expression pullOuter(Expression expression, UnaryOperator<Expression> rule) {
        Expression replaced = rule.apply(expression);
        return replaced == expression ? expression.mapChildren(child -> pullOuter(child, rule)) : replaced;
    }

    private LogicalPlan under(LogicalPlan child) {
        if (columns.isEmpty()) {
            return child;
        }
        List<NamedExpression> list = new ArrayList<>(Trees.<NamedExpression>list(child.output()));
        list.addAll(columns.values());
        return new Project(Trees.seq(list), child);
    }

    /** Any node with one child. */
    static LogicalPlan below(LogicalPlan plan) {
        PulledCalls calls = new PulledCalls();
        LogicalPlan above = plan.mapExpressions(calls::pullFrom);
        if (calls.columns.isEmpty()) {
            return plan;
        }
        LogicalPlan whole = above.withNewChildren(
                Trees.<LogicalPlan>seq(List.of(calls.under(plan.children().head()))));
        return Columns.only(Trees.list(plan.output()), whole);
    }

    /** Calls in aggregate functions and groups; those over their results stay where they are. */
    static LogicalPlan below(Aggregate aggregate, UnaryOperator<Expression> mark) {
        PulledCalls calls = new PulledCalls();
        List<Expression> groups = Trees.<Expression>list(aggregate.groupingExpressions()).stream()
                .map(group -> calls.pullFrom(mark.apply(group)))
                .toList();
        List<Expression> results = Trees.expressions(aggregate.aggregateExpressions()).stream()
                .map(result -> Trees.rewrite(
                        mark.apply(result),
                        each -> each instanceof AggregateExpression ? calls.ofAggregate(each) : each))
                .toList();
        return Trees.copy(
                aggregate,
                Trees.seq(groups),
                Trees.seq(results.stream()
                        .map(result -> pullOuter(result, calls::known))
                        .toList()),
                calls.under(aggregate.child()));
    }

    /** Calls of one side's columns go below that side; those of both into a filter above, where the kind of join allows it. */
    static LogicalPlan below(Join join, UnaryOperator<Expression> mark) {
        PulledCalls left = new PulledCalls();
        PulledCalls right = new PulledCalls();
        List<Expression> within = new ArrayList<>();
        List<Expression> above = new ArrayList<>();
        for (Expression conjunct : Trees.conjuncts(mark.apply(join.condition().get()))) {
            Expression pulled = pullOuter(conjunct, each -> ofSide(each, join.left(), left));
            pulled = pullOuter(pulled, each -> ofSide(each, join.right(), right));
            if (OnnxCall.isIn(pulled)) {
                above.add(pulled);
            } else {
                within.add(pulled);
            }
        }
        boolean inner =
                join.joinType().equals(Inner$.MODULE$) || join.joinType().equals(Cross$.MODULE$);
        if (!above.isEmpty() && !inner) {
            throw Refusals.of("the join condition " + above.get(0).sql()
                    + " calls an onnx function over columns of both sides, which a "
                    + join.joinType().sql()
                    + " join cannot do: put an inner join with this condition into a subquery, and join that instead");
        }
        Option<Expression> condition = within.isEmpty() ? Option.empty() : new Some<>(Trees.and(within));
        LogicalPlan joined =
                new Join(left.under(join.left()), right.under(join.right()), join.joinType(), condition, join.hint());
        LogicalPlan filtered = above.isEmpty() ? joined : new Filter(Trees.and(above), joined);
        List<Attribute> output = Trees.list(join.output());
        return left.columns.isEmpty() && right.columns.isEmpty() ? filtered : Columns.only(output, filtered);
    }

    /** Whether an expression has columns of the query around a subquery. */
    static boolean isOfOuterQuery(Expression expression) {
        return Trees.exists(expression, OuterReference.class::isInstance);
    }

    /**
     * Spark moves conditions on the outer query out of a subquery; calls of the subquery's own columns go below them and stay, behind the
     * conditions that are its own.
     */
    static LogicalPlan belowCorrelated(Filter filter, UnaryOperator<Expression> mark) {
        PulledCalls calls = new PulledCalls();
        List<Expression> own = new ArrayList<>();
        List<Expression> outer = new ArrayList<>();
        for (Expression conjunct : Trees.conjuncts(mark.apply(filter.condition()))) {
            if (isOfOuterQuery(conjunct)) {
                outer.add(pullOuter(conjunct, calls::ofSubquery));
            } else {
                own.add(conjunct);
            }
        }
        LogicalPlan child = own.isEmpty() ? filter.child() : new Filter(Trees.and(own), filter.child());
        Filter above = new Filter(Trees.and(outer), calls.under(child));
        return calls.columns.isEmpty() ? above : Columns.only(Trees.list(filter.output()), above);
    }

    /** Calls of the subquery's own columns; those of the outer query's alone are left to {@link OuterCalls}. */
    private Expression ofSubquery(Expression expression) {
        if (!OnnxCall.isUnplaced(expression) || !isOfOuterQuery(expression)) {
            return pulled(expression);
        }
        if (!expression.references().isEmpty()) {
            throw OuterCalls.refusal(expression);
        }
        return expression;
    }

    private static Expression ofSide(Expression expression, LogicalPlan side, PulledCalls calls) {
        return expression.references().subsetOf(side.outputSet()) ? calls.pulled(expression) : expression;
    }
}
