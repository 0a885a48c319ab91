package io.kindling.spark.shim35;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.GlobalLimit;
import org.apache.spark.sql.catalyst.plans.logical.LocalLimit;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.catalyst.plans.logical.Sort;

/**
 * The result of a call that an operator further down computes already, brought up to where it is wanted again.
 *
 * @param plan gives the column too
 */
record Exposed(LogicalPlan plan, Attribute column) {
    /** @param call in canonical form, over the columns of the plan */
    static Optional<Exposed> of(Expression call, LogicalPlan plan) {
        if (plan instanceof OnnxBatch batch) {
            return inBatch(call, batch);
        }
        if (plan instanceof Filter
                || plan instanceof Sort
                || plan instanceof LocalLimit
                || plan instanceof GlobalLimit) {
            return of(call, plan.children().head())
                    .map(found -> new Exposed(
                            plan.withNewChildren(Trees.<LogicalPlan>seq(List.of(found.plan()))), found.column()));
        }
        return plan instanceof Project project ? throughProject(call, project) : Optional.empty();
    }

    private static Optional<Exposed> inBatch(Expression call, OnnxBatch batch) {
        List<OnnxCall> calls = batch.calls();
        for (int i = 0; i < calls.size(); i++) {
            OnnxCall placed = calls.get(i);
            if (placed.mask().isEmpty() && placed.unplaced().canonicalized().equals(call)) {
                return Optional.of(new Exposed(batch, batch.results().get(i)));
            }
        }
        return of(call, batch.child()).map(found -> new Exposed(batch.over(found.plan()), found.column()));
    }

    private static Optional<Exposed> throughProject(Expression call, Project project) {
        List<NamedExpression> list = Trees.list(project.projectList());
        Expression below = Trees.rewrite(call, part -> defined(part, list));
        if (!below.references().subsetOf(project.child().outputSet())) {
            return Optional.empty();
        }
        return of(below.canonicalized(), project.child()).map(found -> {
            for (NamedExpression each : list) {
                boolean same = each instanceof Alias alias
                        ? alias.child().equals(found.column())
                        : each.equals(found.column());
                if (same) {
                    return new Exposed(Trees.copy(project, project.projectList(), found.plan()), each.toAttribute());
                }
            }
            List<NamedExpression> wider = new ArrayList<>(list);
            wider.add(found.column());
            return new Exposed(new Project(Trees.seq(wider), found.plan()), found.column());
        });
    }

    /** What a projection makes a column of, where that can be written in its place. */
    static Expression defined(Expression column, List<NamedExpression> list) {
        return column instanceof Attribute attribute
                ? list.stream()
                        .filter(each -> each instanceof Alias && each.exprId().equals(attribute.exprId()))
                        .map(each -> ((Alias) each).child())
                        .filter(Expression::deterministic)
                        .findFirst()
                        .orElse(column)
                : column;
    }
}
