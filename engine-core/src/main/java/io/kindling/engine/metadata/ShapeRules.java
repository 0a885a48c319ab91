package io.kindling.engine.metadata;

import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Dimension;
import io.kindling.engine.ir.ValueInfo;
import io.kindling.engine.ir.ValueType.TensorType;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Finds ports by shape and element type where nothing names them. Names are never interpreted, and exactly one port must fit:
 * token ids are integers of rank 1 or 2, logits floating point of rank 1 to 3 with a last axis that is not 0.
 */
final class ShapeRules {
    static final String TOKEN_INPUT = "model.io.token_input";
    static final String LOGITS_OUTPUT = "model.io.logits_output";
    private static final Set<DataType> TOKEN_TYPES = EnumSet.of(DataType.INT64, DataType.INT32);

    private ShapeRules() {}

    /**
     * The one input that can be the token ids.
     *
     * @param declared inputs that have a role already
     * @throws KindlingException UNRESOLVED when none or several fit
     */
    static String tokenInput(Ports ports, Set<String> declared) {
        return only(TOKEN_INPUT, ports.graph().inputs(), declared, type -> hasRank(type, 1, 2) && isToken(type));
    }

    /** The one output that can be the logits, like {@link #tokenInput}. */
    static String logitsOutput(Ports ports, Set<String> declared) {
        return only(
                LOGITS_OUTPUT,
                ports.graph().outputs(),
                declared,
                type -> hasRank(type, 1, 3) && isFloat(type) && !lastAxisIsZero(type));
    }

    private static String only(String key, List<ValueInfo> values, Set<String> declared, Predicate<TensorType> fits) {
        List<ValueInfo> matching = values.stream()
                .filter(value -> !declared.contains(value.name()))
                .filter(value -> Ports.tensor(value).filter(fits).isPresent())
                .toList();
        if (matching.size() == 1) {
            return matching.get(0).name();
        }
        throw new KindlingException(
                ErrorCode.UNRESOLVED,
                "cannot resolve " + key + " from tensor shape because " + matching.size() + " ports match: "
                        + matching.stream().map(Ports::describe).toList() + "; declare the exact graph port in " + key);
    }

    private static boolean hasRank(TensorType type, int least, int most) {
        Optional<List<Dimension>> shape = type.shape();
        return shape.isPresent() && shape.get().size() >= least && shape.get().size() <= most;
    }

    /** An undeclared element type may be anything. */
    private static boolean isToken(TensorType type) {
        return type.elementType().map(TOKEN_TYPES::contains).orElse(true);
    }

    private static boolean isFloat(TensorType type) {
        return type.elementType().map(DataType::isFloatingPoint).orElse(true);
    }

    private static boolean lastAxisIsZero(TensorType type) {
        List<Dimension> shape = type.shape().orElseThrow();
        return shape.get(shape.size() - 1).sizeOrMinusOne() == 0;
    }
}
