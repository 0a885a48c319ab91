package io.kindling.engine.optimize.ragged;

import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Node;
import io.kindling.engine.ir.TensorData;
import io.kindling.engine.optimize.ragged.Fact.Indexed;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Constant masks {@code [1, 1, positions, positions]} that a graph cuts its own mask out of. Where the graph runs, a sequence is no
 * longer than the table, so that what matters of it is {@code [L, L]}; that is as far as it is followed, and cuts are counted
 * from its start.
 */
final class MaskTables {
    private static final int MOST_POSITIONS = 1 << 14;

    private final Set<String> tables = new HashSet<>();
    private final Set<String> pieces = new HashSet<>();

    /** Looks for such masks among constants; {@code known} takes what they are by index. */
    void find(Map<String, TensorData> constants, Map<String, Indexed> known) {
        constants.forEach((name, data) -> triangle(data).ifPresent(element -> {
            int rank = data.shape().length;
            List<Size> dims = new ArrayList<>(Collections.nCopies(rank - 2, Size.of(1)));
            dims.addAll(List.of(Size.TOTAL, Size.TOTAL));
            known.put(name, new Indexed(dims, element));
            tables.add(name);
        }));
    }

    /** Whether a node reads a table, or a piece of one, in a way that does not depend on its true size. */
    boolean allows(Node node, List<Fact> inputs) {
        String first = node.inputs().isEmpty() ? "" : node.inputs().get(0);
        boolean cuts = node.is("", "Slice") && inputs.size() > 2;
        if (!cuts || !tables.contains(first) && !pieces.contains(first)) {
            return node.inputs().stream().noneMatch(tables::contains);
        }
        boolean fromStart = true;
        for (int k = 1; k <= 2; k++) {
            fromStart &= SizeRules.sizes(inputs.get(k)).isPresent()
                    && SizeRules.sizes(inputs.get(k)).get().values().stream()
                            .allMatch(bound -> Form.of(bound).least(List.of()) >= 0);
        }
        if (fromStart) {
            pieces.add(node.outputs().get(0));
        }
        return fromStart;
    }

    /** One where a token may look at another: at itself and those before it, or the last few of them. */
    private static Optional<Element> triangle(TensorData data) {
        long[] shape = data.shape();
        int rank = shape.length;
        boolean square = rank >= 2
                && (data.type() == DataType.BOOL || data.type() == DataType.UINT8)
                && data.content() instanceof TensorData.Inline
                && shape[rank - 1] == shape[rank - 2]
                && shape[rank - 1] > 1
                && shape[rank - 1] <= MOST_POSITIONS
                && data.elementCount() == shape[rank - 1] * shape[rank - 1];
        if (!square) {
            return Optional.empty();
        }
        ByteBuffer bytes = ((TensorData.Inline) data.content()).bytes();
        int start = bytes.position();
        int size = (int) shape[rank - 1];
        int window = 0;
        for (int k = 0; k < size; k++) {
            window += bytes.get(start + (size - 1) * size + k);
        }
        for (int i = 0; i < size; i++) {
            for (int j = 0; j < size; j++) {
                boolean seen = j <= i && i - j < window;
                if (bytes.get(start + i * size + j) != (seen ? 1 : 0)) {
                    return Optional.empty();
                }
            }
        }
        Form distance = Form.index(1).minus(Form.index(0));
        Element near =
                window == size ? Element.TRUE : Element.test(Form.of(window - 1).minus(distance));
        return Optional.of(Element.choose(Element.test(distance), near, Element.FALSE));
    }
}
