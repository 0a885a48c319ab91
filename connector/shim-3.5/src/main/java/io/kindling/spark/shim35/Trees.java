package io.kindling.spark.shim35;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.apache.spark.sql.catalyst.expressions.And;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.trees.TreeNode;
import scala.collection.Iterator;
import scala.collection.Seq;
import scala.collection.immutable.Nil$;

/** Scala's sequences and Catalyst's trees, from Java. */
final class Trees {
    private Trees() {}

    /** An immutable Scala sequence. */
    @SuppressWarnings("unchecked") // Nil is a list of anything, and a list of a subtype is read only
    static <T> Seq<T> seq(Collection<? extends T> items) {
        scala.collection.immutable.List<T> list = (scala.collection.immutable.List<T>) (Object) Nil$.MODULE$;
        List<T> all = new ArrayList<>(items);
        for (int i = all.size() - 1; i >= 0; i--) {
            list = list.$colon$colon(all.get(i));
        }
        return list;
    }

    static <T> List<T> list(Seq<? extends T> seq) {
        List<T> items = new ArrayList<>();
        for (Iterator<? extends T> each = seq.iterator(); each.hasNext(); ) {
            items.add(each.next());
        }
        return items;
    }

    /** Named expressions, which the compiler does not know for expressions. */
    static List<Expression> expressions(Seq<? extends NamedExpression> named) {
        return Trees.<NamedExpression>list(named).stream()
                .map(each -> (Expression) each)
                .toList();
    }

    /** Rewrites a tree from its leaves up. */
    static Expression rewrite(Expression expression, UnaryOperator<Expression> rule) {
        return rule.apply(expression.mapChildren(child -> rewrite(child, rule)));
    }

    static boolean exists(Expression expression, Predicate<Expression> test) {
        return test.test(expression)
                || Trees.<Expression>list(expression.children()).stream().anyMatch(child -> exists(child, test));
    }

    static boolean exists(LogicalPlan plan, Predicate<LogicalPlan> test) {
        return test.test(plan)
                || Trees.<LogicalPlan>list(plan.children()).stream().anyMatch(child -> exists(child, test));
    }

    /** A node with some of its constructor's arguments replaced. */
    @SuppressWarnings("unchecked") // a copy has the type of what it is a copy of
    static <T extends TreeNode<?>> T copy(T node, Object... leading) {
        Object[] arguments = new Object[node.productArity()];
        for (int i = 0; i < arguments.length; i++) {
            arguments[i] = i < leading.length ? leading[i] : node.productElement(i);
        }
        return (T) node.makeCopy(arguments);
    }

    static List<Expression> conjuncts(Expression condition) {
        if (condition instanceof And and) {
            List<Expression> both = new ArrayList<>(conjuncts(and.left()));
            both.addAll(conjuncts(and.right()));
            return both;
        }
        return new ArrayList<>(List.of(condition));
    }

    /** @param conjuncts at least one */
    static Expression and(List<Expression> conjuncts) {
        return conjuncts.stream().reduce(And::new).orElseThrow();
    }
}
