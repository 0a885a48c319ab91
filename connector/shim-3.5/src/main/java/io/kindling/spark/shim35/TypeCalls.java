package io.kindling.spark.shim35;

import io.kindling.spark.config.Refusals;
import io.kindling.spark.functions.BatchFunction;
import io.kindling.spark.functions.BatchFunction.Typed;
import java.util.List;
import org.apache.spark.sql.catalyst.analysis.UnresolvedFunction$;
import org.apache.spark.sql.catalyst.expressions.ApplyFunctionExpression;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.NamedArgumentExpression;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.rules.Rule;
import org.apache.spark.sql.connector.catalog.functions.ScalarFunction;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * Gives calls the types that a literal model or schema says, while the analyser still resolves what uses them: it binds a function to
 * the types of the arguments alone.
 */
final class TypeCalls extends Rule<LogicalPlan> {
    @Override
    public LogicalPlan apply(LogicalPlan plan) {
        return plan.mapChildren(this::apply).mapExpressions(each -> Trees.rewrite(each, TypeCalls::typed));
    }

    private static Expression typed(Expression expression) {
        if (!(expression instanceof ApplyFunctionExpression applied)) {
            return expression;
        }
        List<Expression> arguments = Trees.list(applied.children());
        if (BatchFunction.isOfCatalog(applied.function())) {
            refuseNames(applied.function().name(), arguments);
            checkRowByRow(applied.function(), arguments);
        }
        return BatchFunction.of(applied.function())
                .flatMap(function -> Refusals.orOf(
                        "onnx." + function.name(), () -> function.typed(i -> OnnxCall.known(arguments.get(i)))))
                .map(typed -> expression(typed, arguments))
                .orElse(expression);
    }

    /** {@link MarkCalls} checks the others, whose types may still change. */
    private static void checkRowByRow(ScalarFunction<?> function, List<Expression> arguments) {
        if (BatchFunction.of(function).isEmpty()) {
            BatchFunction call = new BatchFunction(function);
            Refusals.orOf("onnx." + call.name(), () -> {
                call.check(OnnxCall.known(call, arguments));
                return call;
            });
        }
    }

    /** Spark binds functions of catalogs by place and leaves the names in, which nothing can evaluate. */
    private static void refuseNames(String function, List<Expression> arguments) {
        for (Expression argument : arguments) {
            if (argument instanceof NamedArgumentExpression named) {
                throw Refusals.of("onnx." + function + " takes arguments by their places, not by names: leave out '"
                        + named.key() + " =>'; DESCRIBE FUNCTION EXTENDED onnx." + function + " shows their order");
            }
        }
    }

    private static Expression expression(Typed typed, List<Expression> arguments) {
        Expression call = new ApplyFunctionExpression(typed.function(), Trees.<Expression>seq(arguments));
        return typed.schema()
                .<Expression>map(schema -> UnresolvedFunction$.MODULE$.apply(
                        "from_json",
                        Trees.<Expression>seq(
                                List.of(call, new Literal(UTF8String.fromString(schema), DataTypes.StringType))),
                        false))
                .orElse(call);
    }
}
