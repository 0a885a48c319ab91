package io.kindling.spark.shim35;

import java.lang.reflect.Constructor;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.OuterReference;
import org.apache.spark.sql.catalyst.expressions.SubqueryExpression;
import org.apache.spark.sql.catalyst.plans.logical.CTERelationDef;
import org.apache.spark.sql.catalyst.plans.logical.CTERelationRef;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.View;
import org.apache.spark.sql.catalyst.plans.logical.WithCTE;
import org.apache.spark.sql.catalyst.rules.Rule;
import scala.Option;

/**
 * Makes a common table expression of each part of a query that has calls and occurs more than once, as a view or a DataFrame that is
 * joined with itself does: Spark runs those that are not deterministic once and gives all places the same exchange.
 */
final class ShareCalls extends Rule<LogicalPlan> {
    @Override
    public LogicalPlan apply(LogicalPlan plan) {
        return plan.isStreaming() || !hasCalls(plan) ? plan : new Sharing(plan).shared();
    }

    private static List<LogicalPlan> subqueries(LogicalPlan plan) {
        List<LogicalPlan> plans = new ArrayList<>();
        for (Expression expression : Trees.<Expression>list(plan.expressions())) {
            Trees.exists(expression, part -> {
                if (part instanceof SubqueryExpression subquery) {
                    plans.add(subquery.plan());
                }
                return false;
            });
        }
        return plans;
    }

    /** Views, aliases and projections that only rename are equal to what they hold, which is looked at by itself. */
    private static boolean isShareable(LogicalPlan plan) {
        return !(plan instanceof View)
                && Trees.<LogicalPlan>list(plan.children()).stream()
                        .noneMatch(child -> child.canonicalized().equals(plan.canonicalized()))
                && !(plan instanceof CTERelationDef)
                && hasCalls(plan)
                && !Trees.exists(plan, ShareCalls::isCorrelated)
                && !refersOut(plan);
    }

    /** Whether there are references to the query's own common table expressions that are defined elsewhere. */
    private static boolean refersOut(LogicalPlan plan) {
        Set<Long> defined = new HashSet<>();
        Set<Long> referred = new HashSet<>();
        Trees.exists(plan, node -> {
            if (node instanceof CTERelationDef definition) {
                defined.add(definition.id());
            } else if (node instanceof CTERelationRef reference && reference.cteId() >= 0) {
                referred.add(reference.cteId());
            }
            return false;
        });
        return !defined.containsAll(referred);
    }

    private static boolean isCorrelated(LogicalPlan plan) {
        return Trees.<Expression>list(plan.expressions()).stream()
                .anyMatch(each -> Trees.exists(each, OuterReference.class::isInstance));
    }

    private static boolean hasCalls(LogicalPlan plan) {
        return Trees.exists(
                plan,
                node -> Trees.<Expression>list(node.expressions()).stream().anyMatch(OnnxCall::isIn)
                        || subqueries(node).stream().anyMatch(ShareCalls::hasCalls));
    }

    /** A query while its repeated parts become definitions, the largest first. */
    private static final class Sharing {
        private LogicalPlan main;
        /** Later ones refer to earlier ones. */
        private final Deque<CTERelationDef> definitions = new ArrayDeque<>();

        Sharing(LogicalPlan plan) {
            main = plan;
        }

        LogicalPlan shared() {
            for (Optional<LogicalPlan> next = repeated(); next.isPresent(); next = repeated()) {
                define(next.get());
            }
            return definitions.isEmpty() ? main : place(main, references(main));
        }

        /** A part with several places, in canonical form, that lies in no other such part. */
        private Optional<LogicalPlan> repeated() {
            Map<LogicalPlan, Integer> places = new LinkedHashMap<>();
            count(main, places, part -> false);
            definitions.forEach(each -> count(each, places, part -> false));
            Map<LogicalPlan, Integer> outermost = new LinkedHashMap<>();
            count(main, outermost, part -> places.get(part) > 1);
            definitions.forEach(each -> count(each, outermost, part -> places.get(part) > 1));
            return outermost.entrySet().stream()
                    .filter(each -> each.getValue() > 1)
                    .map(Map.Entry::getKey)
                    .findFirst();
        }

        private static void count(LogicalPlan plan, Map<LogicalPlan, Integer> places, Predicate<LogicalPlan> isEnd) {
            if (isShareable(plan)) {
                places.merge(plan.canonicalized(), 1, Integer::sum);
                if (isEnd.test(plan.canonicalized())) {
                    return;
                }
            }
            Trees.<LogicalPlan>list(plan.children()).forEach(child -> count(child, places, isEnd));
            subqueries(plan).forEach(subquery -> count(subquery, places, isEnd));
        }

        private void define(LogicalPlan canonical) {
            List<LogicalPlan> found = new ArrayList<>();
            UnaryOperator<LogicalPlan> toReference = plan -> {
                if (!isShareable(plan) || !plan.canonicalized().equals(canonical)) {
                    return plan;
                }
                found.add(plan);
                return reference(id(canonical), plan);
            };
            main = replace(main, toReference);
            List<CTERelationDef> rewritten = definitions.stream()
                    .map(each -> (CTERelationDef) replace(each, toReference))
                    .toList();
            definitions.clear();
            definitions.add(definition(id(canonical), found.get(0)));
            definitions.addAll(rewritten);
        }

        private static LogicalPlan replace(LogicalPlan plan, UnaryOperator<LogicalPlan> rule) {
            LogicalPlan replaced = rule.apply(plan);
            return replaced != plan
                    ? replaced
                    : mapSubqueries(plan.mapChildren(child -> replace(child, rule)), query -> replace(query, rule));
        }

        private long references(LogicalPlan plan) {
            long here = plan instanceof CTERelationRef reference
                            && definitions.stream().anyMatch(each -> each.id() == reference.cteId())
                    ? 1
                    : 0;
            return here
                    + Trees.<LogicalPlan>list(plan.children()).stream()
                            .mapToLong(this::references)
                            .sum()
                    + subqueries(plan).stream().mapToLong(this::references).sum();
        }

        /** Definitions go over the smallest part that has all references: commands stay at the top. */
        private LogicalPlan place(LogicalPlan plan, long all) {
            if (Trees.<LogicalPlan>list(plan.children()).stream().anyMatch(child -> references(child) == all)) {
                return plan.mapChildren(child -> references(child) == all ? place(child, all) : child);
            }
            return new WithCTE(plan, Trees.seq(definitions));
        }
    }

    private static LogicalPlan mapSubqueries(LogicalPlan plan, UnaryOperator<LogicalPlan> rule) {
        return plan.mapExpressions(expression -> Trees.rewrite(
                expression,
                part -> part instanceof SubqueryExpression subquery
                        ? (Expression) subquery.withNewPlan(rule.apply(subquery.plan()))
                        : part));
    }

    /** The same in each query, so that Spark's cache knows the plan again; Spark's own ids are not negative. */
    private static long id(LogicalPlan canonical) {
        return Long.MIN_VALUE | canonical.hashCode();
    }

    private static CTERelationDef definition(long id, LogicalPlan plan) {
        return make(CTERelationDef.class, plan, id, Option.empty());
    }

    private static CTERelationRef reference(long id, LogicalPlan plan) {
        return make(CTERelationRef.class, id, true, plan.output());
    }

    /** Releases of Spark add fields behind, whose defaults are false and none. */
    private static <T> T make(Class<T> type, Object... leading) {
        try {
            Constructor<?> constructor = type.getConstructors()[0];
            Class<?>[] fields = constructor.getParameterTypes();
            Object[] arguments = new Object[fields.length];
            for (int i = 0; i < fields.length; i++) {
                arguments[i] = i < leading.length ? leading[i] : fields[i] == boolean.class ? false : Option.empty();
            }
            return type.cast(constructor.newInstance(arguments));
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("this Spark makes " + type.getSimpleName() + " otherwise", e);
        }
    }
}
