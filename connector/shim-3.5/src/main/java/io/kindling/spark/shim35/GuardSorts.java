package io.kindling.spark.shim35;

import java.util.List;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.SortOrder;
import org.apache.spark.sql.catalyst.plans.logical.LocalLimit;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.catalyst.plans.logical.RepartitionByExpression;
import org.apache.spark.sql.catalyst.plans.logical.RepartitionOperation;
import org.apache.spark.sql.catalyst.plans.logical.Sort;
import org.apache.spark.sql.catalyst.rules.Rule;
import scala.Option;

/**
 * Puts an exchange between calls and what Spark partitions by ranges: it runs the plan below twice, once to sample it, and reads the
 * exchange's files twice instead.
 */
final class GuardSorts extends Rule<LogicalPlan> {
    @Override
    public LogicalPlan apply(LogicalPlan plan) {
        if (plan instanceof LocalLimit) {
            return belowLimit(plan);
        }
        LogicalPlan guarded = plan.mapChildren(this::apply);
        return partitionsByRange(guarded) ? guard(guarded) : guarded;
    }

    /** Spark sorts for a limit without ranges. */
    private LogicalPlan belowLimit(LogicalPlan plan) {
        return plan.mapChildren(child -> child instanceof Project
                ? belowLimit(child)
                : child instanceof Sort ? child.mapChildren(this::apply) : apply(child));
    }

    private static boolean partitionsByRange(LogicalPlan plan) {
        return plan instanceof Sort sort && sort.global()
                || plan instanceof RepartitionByExpression repartition
                        && Trees.<Expression>list(repartition.partitionExpressions()).stream()
                                .anyMatch(SortOrder.class::isInstance);
    }

    private static LogicalPlan guard(LogicalPlan plan) {
        LogicalPlan child = plan.children().head();
        if (child instanceof RepartitionOperation || !Trees.exists(child, OnnxBatch.class::isInstance)) {
            return plan;
        }
        LogicalPlan exchange = new RepartitionByExpression(Trees.seq(List.of()), child, Option.empty(), Option.empty());
        return plan.withNewChildren(Trees.<LogicalPlan>seq(List.of(exchange)));
    }
}
