package io.kindling.spark.convert;

import io.kindling.engine.ir.Dimension;
import io.kindling.engine.ir.ValueInfo;
import io.kindling.engine.ir.ValueType;
import io.kindling.engine.ir.ValueType.SequenceType;
import io.kindling.engine.ir.ValueType.TensorType;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** How rows lie in the tensors of a graph. */
public enum RowAxis {
    /** Rows are stacked along axis 0, which the graph leaves open. */
    BATCH,
    /** Axis 0 is there and is 1: a run serves one row. */
    ONE,
    /** There is no such axis: a row's value is the whole tensor. */
    NONE;

    /**
     * Axis 0 is for rows when every input leaves it open, under one name where it is named; it is then 1 where an input or an
     * output fixes it. Sequences among the outputs have an element a row.
     *
     * @param inputs all of the graph
     * @param outputs those that are asked for
     */
    public static RowAxis of(List<ValueInfo> inputs, List<ValueInfo> outputs) {
        Set<String> names = new HashSet<>();
        boolean open = !inputs.isEmpty();
        for (ValueInfo input : inputs) {
            Optional<Dimension> first = first(input.type());
            if (first.isEmpty()
                    || first.get().sizeOrMinusOne() > 1
                    || first.get().sizeOrMinusOne() == 0) {
                return NONE;
            }
            open &= first.get().sizeOrMinusOne() < 0;
            if (first.get() instanceof Dimension.Symbol symbol) {
                names.add(symbol.name());
            }
        }
        if (inputs.isEmpty() || names.size() > 1) {
            return NONE;
        }
        return open && outputs.stream().allMatch(output -> openOutput(output.type())) ? BATCH : ONE;
    }

    private static boolean openOutput(ValueType type) {
        if (type instanceof TensorType tensor) {
            return tensor.shape().isEmpty()
                    || first(type).filter(first -> first.sizeOrMinusOne() < 0).isPresent();
        }
        return type instanceof SequenceType;
    }

    private static Optional<Dimension> first(ValueType type) {
        return type instanceof TensorType tensor
                ? tensor.shape().filter(shape -> !shape.isEmpty()).map(shape -> shape.get(0))
                : Optional.empty();
    }
}
