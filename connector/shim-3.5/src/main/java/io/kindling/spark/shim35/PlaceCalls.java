package io.kindling.spark.shim35;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.expressions.OuterReference;
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression;
import org.apache.spark.sql.catalyst.plans.logical.Aggregate;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.catalyst.rules.Rule;
import scala.collection.Seq;

/** The optimiser's part: calls go into {@link OnnxBatch}, and what asks for fewer rows below it. */
final class PlaceCalls extends Rule<LogicalPlan> {
    @Override
    public LogicalPlan apply(LogicalPlan plan) {
        LogicalPlan placed = plan.mapChildren(this::apply);
        return FewerRows.below(hasCalls(placed) ? place(placed) : placed);
    }

    private static boolean hasCalls(LogicalPlan plan) {
        List<Expression> expressions = Trees.list(plan.expressions());
        return expressions.stream().anyMatch(OnnxCall::isIn)
                // until Spark has joined a correlated subquery with the outer query
                && expressions.stream().noneMatch(each -> Trees.exists(each, OuterReference.class::isInstance));
    }

    private static LogicalPlan place(LogicalPlan plan) {
        if (plan instanceof Project project) {
            Placement placement = Placement.of(Trees.expressions(project.projectList()), project.child());
            return new Project(named(placement.expressions()), placement.child());
        }
        if (plan instanceof Filter filter) {
            return place(filter);
        }
        if (plan instanceof Aggregate aggregate) {
            return place(aggregate);
        }
        return plan.children().size() == 1 ? PulledCalls.below(plan) : plan;
    }

    /** Conjuncts without calls first; then one after the other, so that later calls see fewer rows. */
    private static LogicalPlan place(Filter filter) {
        List<Expression> cheap = new ArrayList<>();
        List<Expression> calling = new ArrayList<>();
        for (Expression conjunct : Trees.conjuncts(filter.condition())) {
            (OnnxCall.isIn(conjunct) ? calling : cheap).add(conjunct);
        }
        LogicalPlan child = cheap.isEmpty() ? filter.child() : new Filter(Trees.and(cheap), filter.child());
        for (Expression conjunct : calling) {
            Placement placement = Placement.of(List.of(conjunct), child);
            child = new Filter(placement.expressions().get(0), placement.child());
        }
        return Columns.only(Trees.list(filter.output()), child);
    }

    /** Calls over aggregates: the aggregates first, then a projection. */
    private static LogicalPlan place(Aggregate aggregate) {
        List<Expression> groups = Trees.list(aggregate.groupingExpressions());
        List<NamedExpression> computed = new ArrayList<>();
        List<Expression> above = new ArrayList<>();
        for (Expression result : Trees.expressions(aggregate.aggregateExpressions())) {
            if (OnnxCall.isIn(result)) {
                above.add(split(result, groups, computed));
            } else {
                computed.add((NamedExpression) result);
                above.add((Expression) ((NamedExpression) result).toAttribute());
            }
        }
        Placement placement =
                Placement.of(above, Trees.copy(aggregate, aggregate.groupingExpressions(), Trees.seq(computed)));
        return new Project(named(placement.expressions()), placement.child());
    }

    private static Expression split(Expression result, List<Expression> groups, List<NamedExpression> computed) {
        boolean isGroup = groups.stream().anyMatch(result::semanticEquals);
        if (!isGroup && !(result instanceof AggregateExpression)) {
            return result.mapChildren(child -> split(child, groups, computed));
        }
        if (result instanceof NamedExpression named) {
            computed.add(named);
            return (Expression) named.toAttribute();
        }
        Alias column = Columns.alias(result, "_onnx_group");
        computed.add(column);
        return column.toAttribute();
    }

    private static Seq<NamedExpression> named(List<Expression> list) {
        return Trees.seq(list.stream().map(NamedExpression.class::cast).toList());
    }
}
