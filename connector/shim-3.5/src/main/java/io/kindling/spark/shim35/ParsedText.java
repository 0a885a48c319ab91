package io.kindling.spark.shim35;

import io.kindling.spark.OnnxCatalog;
import io.kindling.spark.functions.CatalogFunction;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.analysis.UnresolvedFunction;
import org.apache.spark.sql.catalyst.analysis.UnresolvedFunctionName;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.ExpressionInfo;
import org.apache.spark.sql.catalyst.parser.ParserInterface;
import org.apache.spark.sql.catalyst.plans.logical.DescribeFunction;
import org.apache.spark.sql.catalyst.trees.TreeNode;
import org.apache.spark.sql.execution.command.DescribeFunctionCommand;
import scala.Option;
import scala.Product;
import scala.Some;
import scala.Tuple2;
import scala.Tuple3;
import scala.collection.Seq;

/**
 * Sees SQL text before the analyser, for what it refuses while it resolves names, so that no rule of an extension comes before: calls in
 * FILTER, and DESCRIBE FUNCTION. A proxy, since releases add methods to the parser's interface.
 */
final class ParsedText implements InvocationHandler {
    private final ParserInterface parser;
    private final SparkSession session;

    private ParsedText(ParserInterface parser, SparkSession session) {
        this.parser = parser;
        this.session = session;
    }

    static ParserInterface of(ParserInterface parser, SparkSession session) {
        Set<Class<?>> interfaces = new LinkedHashSet<>(List.of(ParserInterface.class));
        for (Class<?> type = parser.getClass(); type != null; type = type.getSuperclass()) {
            interfaces.addAll(Arrays.asList(type.getInterfaces()));
        }
        return (ParserInterface) Proxy.newProxyInstance(
                parser.getClass().getClassLoader(),
                interfaces.toArray(Class<?>[]::new),
                new ParsedText(parser, session));
    }

    @Override
    public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
        Object parsed;
        try {
            parsed = method.invoke(parser, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
        if (parsed instanceof DescribeFunction describe) {
            return described(describe);
        }
        return parsed instanceof TreeNode<?> tree ? rewritten(tree) : parsed;
    }

    private Object described(DescribeFunction describe) {
        if (!(describe.child() instanceof UnresolvedFunctionName named)) {
            return describe;
        }
        List<String> name = names(named.productElement(0));
        return OnnxCatalog.find(name, session)
                .<Object>map(function -> new DescribeFunctionCommand(info(name, function), describe.isExtended()))
                .orElse(describe);
    }

    private static ExpressionInfo info(List<String> name, CatalogFunction function) {
        String before = String.join(".", name.subList(0, name.size() - 1)) + ".";
        return new ExpressionInfo(
                function.getClass().getName(),
                null,
                before + function.name(),
                before + function.description(),
                function.help(),
                "",
                "",
                "",
                "",
                "",
                "");
    }

    /** A node, its parts and theirs, whether children or not: queries in WITH are none. */
    private Object rewritten(Object part) {
        if (part instanceof TreeNode<?> node) {
            Object[] parts = parts(node);
            TreeNode<?> copy = parts == null ? node : (TreeNode<?>) node.makeCopy(parts);
            return copy instanceof UnresolvedFunction call ? withFilter(call) : copy;
        }
        if (part instanceof Some<?> some) {
            Object value = rewritten(some.value());
            return value == some.value() ? part : new Some<>(value);
        }
        if (part instanceof Seq<?> seq) {
            List<Object> before = Trees.list(seq);
            List<Object> after = before.stream().map(this::rewritten).toList();
            return same(before, after) ? part : Trees.seq(after);
        }
        if (part instanceof Tuple2<?, ?> || part instanceof Tuple3<?, ?, ?>) {
            Object[] parts = parts((Product) part);
            return parts == null
                    ? part
                    : parts.length == 2 ? new Tuple2<>(parts[0], parts[1]) : new Tuple3<>(parts[0], parts[1], parts[2]);
        }
        return part;
    }

    /** Null when they are as before. */
    private Object[] parts(Product whole) {
        Object[] parts = new Object[whole.productArity()];
        boolean changed = false;
        for (int i = 0; i < parts.length; i++) {
            parts[i] = rewritten(whole.productElement(i));
            changed |= parts[i] != whole.productElement(i);
        }
        return changed ? parts : null;
    }

    private static boolean same(List<Object> before, List<Object> after) {
        for (int i = 0; i < before.size(); i++) {
            if (before.get(i) != after.get(i)) {
                return false;
            }
        }
        return true;
    }

    private UnresolvedFunction withFilter(UnresolvedFunction aggregate) {
        Option<Expression> filter = aggregate.filter();
        if (filter.isEmpty() || !Trees.exists(filter.get(), this::isCall)) {
            return aggregate;
        }
        Object[] parts = new Object[aggregate.productArity()];
        for (int i = 0; i < parts.length; i++) {
            Object part = aggregate.productElement(i);
            parts[i] = part == filter ? new Some<>(new CallFilter(filter.get())) : part;
        }
        return (UnresolvedFunction) aggregate.makeCopy(parts);
    }

    private boolean isCall(Expression expression) {
        return expression instanceof UnresolvedFunction function
                && OnnxCatalog.find(names(function.nameParts()), session).isPresent();
    }

    @SuppressWarnings("unchecked") // names are strings
    private static List<String> names(Object parts) {
        return Trees.list((Seq<String>) parts);
    }
}
