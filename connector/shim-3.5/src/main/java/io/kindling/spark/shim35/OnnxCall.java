package io.kindling.spark.shim35;

import io.kindling.spark.functions.BatchFunction;
import io.kindling.spark.runtime.RowSplit;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.RuntimeReplaceable;
import org.apache.spark.sql.catalyst.expressions.Unevaluable;
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenContext;
import org.apache.spark.sql.catalyst.expressions.codegen.ExprCode;
import org.apache.spark.sql.types.DataType;
import scala.collection.IndexedSeq;
import scala.collection.Seq;

/**
 * A call of one of the catalog's functions. From analysis on it stands where the query has it, and is neither evaluable, so that
 * Spark runs no model in its optimiser, nor deterministic, so that Spark makes no second one of it; the optimiser's last
 * word is to place it in an {@link OnnxBatch}.
 */
public final class OnnxCall extends Expression implements Unevaluable, Serializable {
    private static final long serialVersionUID = 1;

    private final BatchFunction function;
    private final Seq<Expression> children;
    private final boolean masked;
    private final boolean placed;

    /**
     * @param children the function's arguments and, if masked, a condition for the rows that need the result
     * @param masked whether there is a condition
     * @param placed whether it belongs to an {@link OnnxBatch}
     */
    public OnnxCall(BatchFunction function, Seq<Expression> children, boolean masked, boolean placed) {
        this.function = function;
        this.children = children;
        this.masked = masked;
        this.placed = placed;
    }

    static boolean isUnplaced(Expression expression) {
        return expression instanceof OnnxCall call && !call.placed;
    }

    static boolean isIn(Expression expression) {
        return Trees.exists(expression, OnnxCall::isUnplaced);
    }

    BatchFunction function() {
        return function;
    }

    List<Expression> arguments() {
        List<Expression> all = Trees.list(children);
        return masked ? all.subList(0, all.size() - 1) : all;
    }

    Optional<Expression> mask() {
        return masked ? Optional.of(children.last()) : Optional.empty();
    }

    /** The same call in an operator, for the rows of a condition. */
    OnnxCall place(List<Expression> arguments, Optional<Expression> mask) {
        List<Expression> all = new ArrayList<>(arguments);
        mask.ifPresent(all::add);
        return new OnnxCall(function, Trees.seq(all), mask.isPresent(), true);
    }

    /** The same call as analysis left it, without the condition. */
    OnnxCall unplaced() {
        return new OnnxCall(function, Trees.seq(arguments()), false, false);
    }

    /** Model and options, in Spark's internal form, where they are the same in all rows; what is a row's own is no matter. */
    List<Optional<Object>> known() {
        return known(function, arguments());
    }

    static List<Optional<Object>> known(BatchFunction function, List<Expression> arguments) {
        return IntStream.range(0, arguments.size())
                .mapToObj(i -> function.isSetting(i) ? known(arguments.get(i)) : Optional.empty())
                .toList();
    }

    /** The value of an argument that is the same in all rows, in Spark's internal form. */
    static Optional<Object> known(Expression argument) {
        return argument.resolved()
                        && argument.foldable()
                        && !Trees.exists(argument, RuntimeReplaceable.class::isInstance)
                ? Optional.ofNullable(argument.eval(null))
                : Optional.empty();
    }

    /** How the operator is to split its rows first, by their prompts; empty to leave them where they are. */
    Optional<RowSplit> split() {
        return function.split(known());
    }

    long resultBytes() {
        return function.resultBytes(known());
    }

    /** The call in plans, with what it takes from a row. */
    String describe() {
        List<Expression> arguments = arguments();
        return IntStream.range(0, arguments.size())
                .filter(i -> !function.isSetting(i))
                .mapToObj(i -> arguments.get(i).toString())
                .collect(Collectors.joining(", ", function.describe(known()) + "(", ")"));
    }

    @Override
    public boolean deterministic() {
        return placed;
    }

    @Override
    public boolean foldable() {
        return false;
    }

    @Override
    public boolean nullable() {
        return true;
    }

    @Override
    public DataType dataType() {
        return function.resultType();
    }

    @Override
    public Object eval(InternalRow input) {
        throw new UnsupportedOperationException(sql() + " is run by the batch operator, not evaluated");
    }

    @Override
    public ExprCode doGenCode(CodegenContext context, ExprCode code) {
        throw new UnsupportedOperationException(sql() + " is run by the batch operator, not evaluated");
    }

    @Override
    public Seq<Expression> children() {
        return children;
    }

    @Override
    public Expression withNewChildrenInternal(IndexedSeq<Expression> newChildren) {
        return new OnnxCall(function, Trees.seq(Trees.<Expression>list(newChildren)), masked, placed);
    }

    @Override
    public String prettyName() {
        return "onnx." + function.name();
    }

    @Override
    public String toString() {
        return prettyName()
                + arguments().stream().map(Expression::toString).collect(Collectors.joining(", ", "(", ")"))
                + mask().map(mask -> " if " + mask).orElse("");
    }

    @Override
    public int productArity() {
        return 4;
    }

    @Override
    public Object productElement(int n) {
        return switch (n) {
            case 0 -> function;
            case 1 -> children;
            case 2 -> masked;
            case 3 -> placed;
            default -> throw new IndexOutOfBoundsException(n);
        };
    }

    @Override
    public boolean canEqual(Object other) {
        return other instanceof OnnxCall;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof OnnxCall that
                && function.equals(that.function)
                && children.equals(that.children)
                && masked == that.masked
                && placed == that.placed;
    }

    @Override
    public int hashCode() {
        return 31 * function.hashCode() + children.hashCode();
    }
}
