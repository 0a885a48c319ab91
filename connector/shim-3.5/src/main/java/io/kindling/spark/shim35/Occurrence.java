package io.kindling.spark.shim35;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.And;
import org.apache.spark.sql.catalyst.expressions.CaseWhen;
import org.apache.spark.sql.catalyst.expressions.Coalesce;
import org.apache.spark.sql.catalyst.expressions.EqualNullSafe;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.If;
import org.apache.spark.sql.catalyst.expressions.IsNull;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.Not;
import org.apache.spark.sql.catalyst.expressions.Or;
import org.apache.spark.sql.types.DataTypes;
import scala.Tuple2;

/**
 * A call in an expression.
 *
 * @param conditions all of which hold in the rows for which Spark would evaluate it
 */
record Occurrence(OnnxCall call, List<Expression> conditions) {
    /** All calls of an expression, those within others' arguments first. */
    static List<Occurrence> in(Expression expression) {
        List<Occurrence> found = new ArrayList<>();
        collect(expression, List.of(), found);
        return found;
    }

    private static void collect(Expression expression, List<Expression> taken, List<Occurrence> found) {
        if (!OnnxCall.isIn(expression)) {
            return;
        }
        if (expression instanceof If branch) {
            collect(branch.predicate(), taken, found);
            collect(branch.trueValue(), and(taken, is(branch.predicate(), true)), found);
            collect(branch.falseValue(), and(taken, new Not(is(branch.predicate(), true))), found);
        } else if (expression instanceof CaseWhen cases) {
            List<Expression> reached = taken;
            for (Tuple2<Expression, Expression> each : Trees.<Tuple2<Expression, Expression>>list(cases.branches())) {
                collect(each._1(), reached, found);
                collect(each._2(), and(reached, is(each._1(), true)), found);
                reached = and(reached, new Not(is(each._1(), true)));
            }
            if (cases.elseValue().isDefined()) {
                collect(cases.elseValue().get(), reached, found);
            }
        } else if (expression instanceof Coalesce coalesce) {
            List<Expression> reached = taken;
            for (Expression each : Trees.<Expression>list(coalesce.children())) {
                collect(each, reached, found);
                reached = and(reached, new IsNull(each));
            }
        } else if (expression instanceof And and) {
            collect(and.left(), taken, found);
            collect(and.right(), and(taken, new Not(is(and.left(), false))), found);
        } else if (expression instanceof Or or) {
            collect(or.left(), taken, found);
            collect(or.right(), and(taken, new Not(is(or.left(), true))), found);
        } else {
            for (Expression child : Trees.<Expression>list(expression.children())) {
                collect(child, taken, found);
            }
            if (OnnxCall.isUnplaced(expression)) {
                found.add(new Occurrence((OnnxCall) expression, taken));
            }
        }
    }

    private static Expression is(Expression condition, boolean value) {
        return new EqualNullSafe(condition, new Literal(value, DataTypes.BooleanType));
    }

    private static List<Expression> and(List<Expression> taken, Expression condition) {
        List<Expression> more = new ArrayList<>(taken);
        more.add(condition);
        return more;
    }
}
