package io.kindling.spark.shim35;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Or;
import org.apache.spark.sql.catalyst.expressions.SubqueryExpression;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;

/**
 * Moves the calls of expressions into operators below: as many operators as calls need each other's results, equal calls into one
 * column. A call in a branch is asked only for the rows that take it.
 */
final class Placement {
    private List<Expression> expressions;
    private LogicalPlan child;

    private Placement(List<Expression> expressions, LogicalPlan child) {
        this.expressions = expressions;
        this.child = child;
    }

    /** Places all calls of expressions over a child. */
    static Placement of(List<? extends Expression> expressions, LogicalPlan child) {
        Placement placement = new Placement(new ArrayList<>(expressions), child);
        while (placement.expressions.stream().anyMatch(OnnxCall::isIn)) {
            placement.placeNext();
        }
        return placement;
    }

    /** The expressions, with columns in the place of calls. */
    List<Expression> expressions() {
        return expressions;
    }

    /** What they are over. */
    LogicalPlan child() {
        return child;
    }

    private void placeNext() {
        Map<Expression, List<Occurrence>> equal = new LinkedHashMap<>();
        for (Expression expression : expressions) {
            for (Occurrence occurrence : Occurrence.in(expression)) {
                if (occurrence.call().arguments().stream().noneMatch(OnnxCall::isIn)) {
                    equal.computeIfAbsent(occurrence.call().canonicalized(), first -> new ArrayList<>())
                            .add(occurrence);
                }
            }
        }
        Map<Expression, Attribute> columns = new LinkedHashMap<>();
        List<OnnxCall> calls = new ArrayList<>();
        List<Attribute> results = new ArrayList<>();
        List<Map.Entry<Expression, List<Occurrence>>> ready = equal.entrySet().stream()
                .filter(each -> isReady(each.getValue()))
                .toList();
        // calls that wait for each other's branches: the first is asked for more rows than need it
        for (var each : ready.isEmpty() ? List.of(equal.entrySet().iterator().next()) : ready) {
            Optional<Attribute> below = computedBelow(each.getKey());
            if (below.isPresent()) {
                columns.put(each.getKey(), below.get());
                continue;
            }
            OnnxCall call = each.getValue().get(0).call();
            calls.add(call.place(plain(call.arguments()), condition(each.getValue())));
            results.add(Columns.result(call));
            columns.put(each.getKey(), results.get(results.size() - 1));
        }
        if (!calls.isEmpty()) {
            child = OnnxBatch.of(calls, results, child);
        }
        expressions = expressions.stream()
                .map(expression -> Trees.rewrite(
                        expression,
                        part -> OnnxCall.isUnplaced(part) && columns.containsKey(part.canonicalized())
                                ? columns.get(part.canonicalized())
                                : part))
                .toList();
    }

    private Optional<Attribute> computedBelow(Expression call) {
        return Exposed.of(call, child).map(exposed -> {
            child = exposed.plan();
            return exposed.column();
        });
    }

    private static boolean isReady(List<Occurrence> occurrences) {
        return occurrences.stream().anyMatch(occurrence -> usable(occurrence).isEmpty() && isReady(occurrence))
                || occurrences.stream().allMatch(Placement::isReady);
    }

    private static boolean isReady(Occurrence occurrence) {
        return occurrence.conditions().stream().noneMatch(OnnxCall::isIn);
    }

    /** Conditions that mean the same when they are evaluated a second time, before the expression. */
    private static List<Expression> usable(Occurrence occurrence) {
        return occurrence.conditions().stream()
                .filter(condition ->
                        condition.deterministic() && !Trees.exists(condition, SubqueryExpression.class::isInstance))
                .toList();
    }

    /** The rows that some occurrence needs; empty for all rows. */
    private static Optional<Expression> condition(List<Occurrence> occurrences) {
        List<List<Expression>> all = occurrences.stream().map(Placement::usable).toList();
        return all.stream().anyMatch(List::isEmpty)
                ? Optional.empty()
                : all.stream().map(Trees::and).distinct().reduce(Or::new);
    }

    /** Arguments as the operator can evaluate them: subqueries and random values are columns of a projection below. */
    private List<Expression> plain(List<Expression> arguments) {
        List<Expression> plain = new ArrayList<>();
        List<Alias> columns = new ArrayList<>();
        for (Expression argument : arguments) {
            if (argument.deterministic() && !Trees.exists(argument, SubqueryExpression.class::isInstance)) {
                plain.add(argument);
            } else {
                Alias column = Columns.alias(argument, "_onnx_argument");
                columns.add(column);
                plain.add(column.toAttribute());
            }
        }
        if (!columns.isEmpty()) {
            child = Columns.with(columns, child);
        }
        return plain;
    }
}
