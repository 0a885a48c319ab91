package io.kindling.spark.shim35;

import io.kindling.spark.functions.BatchFunction;
import java.util.List;
import java.util.Optional;
import org.apache.spark.sql.catalyst.expressions.ApplyFunctionExpression;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.rules.Rule;

/**
 * Gives calls whose model is a literal the type of that model's result, while the analyser still resolves what uses it: it binds a
 * function to the types of the arguments alone.
 */
final class TypeRuns extends Rule<LogicalPlan> {
    @Override
    public LogicalPlan apply(LogicalPlan plan) {
        return plan.mapChildren(this::apply).mapExpressions(each -> Trees.rewrite(each, TypeRuns::typed));
    }

    private static Expression typed(Expression expression) {
        if (!(expression instanceof ApplyFunctionExpression applied)) {
            return expression;
        }
        Optional<BatchFunction> function = BatchFunction.of(applied.function());
        List<Expression> arguments = Trees.list(applied.children());
        Optional<Object> model = function.isPresent() ? OnnxCall.known(arguments.get(0)) : Optional.empty();
        return model.flatMap(known -> Refusals.orOf(
                        "onnx." + function.get().name(), () -> function.get().typed(known)))
                .<Expression>map(known -> new ApplyFunctionExpression(known, applied.children()))
                .orElse(expression);
    }
}
