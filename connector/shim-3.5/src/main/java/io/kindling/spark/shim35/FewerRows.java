package io.kindling.spark.shim35;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.GlobalLimit;
import org.apache.spark.sql.catalyst.plans.logical.LocalLimit;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Offset;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.catalyst.plans.logical.Sample;
import org.apache.spark.sql.catalyst.plans.logical.Sort;

/** Nodes over an {@link OnnxBatch} that make its work less go below it: filters, limits, samples, and projections without its results. */
final class FewerRows {
    private FewerRows() {}

    static LogicalPlan below(LogicalPlan plan) {
        if (plan instanceof Filter filter && filter.child() instanceof OnnxBatch batch) {
            return filter(filter, batch);
        }
        if (plan instanceof Project project && project.child() instanceof OnnxBatch batch) {
            return project(project, batch);
        }
        return keepsRows(plan) ? limit(plan).orElse(plan) : plan;
    }

    /** Nodes that pass some rows of a partition on as they are, whatever is in them. */
    private static boolean keepsRows(LogicalPlan plan) {
        return plan instanceof LocalLimit
                || plan instanceof GlobalLimit
                || plan instanceof Offset
                || plan instanceof Sample;
    }

    private static LogicalPlan filter(Filter filter, OnnxBatch batch) {
        List<Expression> below = new ArrayList<>();
        List<Expression> above = new ArrayList<>();
        for (Expression conjunct : Trees.conjuncts(filter.condition())) {
            boolean ofInput = conjunct.deterministic()
                    && conjunct.references().subsetOf(batch.child().outputSet());
            (ofInput ? below : above).add(conjunct);
        }
        if (below.isEmpty()) {
            return filter;
        }
        LogicalPlan pushed = batch.over(new Filter(Trees.and(below), batch.child()));
        return above.isEmpty() ? pushed : new Filter(Trees.and(above), pushed);
    }

    private static LogicalPlan project(Project project, OnnxBatch batch) {
        List<OnnxCall> calls = batch.calls();
        List<Attribute> results = batch.results();
        List<OnnxCall> wanted = new ArrayList<>();
        List<Attribute> columns = new ArrayList<>();
        for (int i = 0; i < calls.size(); i++) {
            if (project.references().contains(results.get(i))) {
                wanted.add(calls.get(i));
                columns.add(results.get(i));
            }
        }
        if (wanted.size() == calls.size()) {
            return project;
        }
        return Trees.copy(
                project,
                project.projectList(),
                wanted.isEmpty() ? batch.child() : OnnxBatch.of(wanted, columns, batch.child()));
    }

    /** {@code limit(project(batch(x)))} as {@code project(batch(limit(x)))}, through projections and further limits. */
    private static Optional<LogicalPlan> limit(LogicalPlan plan) {
        LogicalPlan child = plan.children().head();
        if (child instanceof OnnxBatch batch) {
            return Optional.of(batch.over(over(plan, batch.child())));
        }
        if (child instanceof Project project && isDeterministic(project)) {
            return limit(over(plan, project.child())).map(below -> Trees.copy(project, project.projectList(), below));
        }
        if (child instanceof Sort sort && plan instanceof LocalLimit) {
            return sorted(plan, sort, sort.child());
        }
        return Optional.empty();
    }

    /** The first rows by columns of the input: {@code limit(sort(project(batch(x))))} as {@code project(batch(limit(sort(x))))}. */
    private static Optional<LogicalPlan> sorted(LogicalPlan limit, LogicalPlan sort, LogicalPlan child) {
        if (child instanceof OnnxBatch batch
                && sort.references().subsetOf(batch.child().outputSet())) {
            return Optional.of(batch.over(over(limit, over(sort, batch.child()))));
        }
        if (child instanceof Project project && isDeterministic(project)) {
            List<NamedExpression> list = Trees.list(project.projectList());
            LogicalPlan byInput =
                    sort.mapExpressions(order -> Trees.rewrite(order, part -> Exposed.defined(part, list)));
            return sorted(limit, byInput, project.child())
                    .map(below -> Trees.copy(project, project.projectList(), below));
        }
        return Optional.empty();
    }

    private static boolean isDeterministic(Project project) {
        return Trees.expressions(project.projectList()).stream().allMatch(Expression::deterministic);
    }

    private static LogicalPlan over(LogicalPlan node, LogicalPlan child) {
        return node.withNewChildren(Trees.<LogicalPlan>seq(List.of(child)));
    }
}
