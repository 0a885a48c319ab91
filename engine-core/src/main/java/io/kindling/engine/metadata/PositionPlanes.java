package io.kindling.engine.metadata;

import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import io.kindling.engine.ir.Dimension;
import io.kindling.engine.ir.ValueInfo;
import io.kindling.engine.ir.ValueType;
import java.util.List;
import java.util.Optional;

/**
 * The shape of position ids: {@code [batch, sequence]}, or {@code [planes, batch, sequence]} of decoders that also see images,
 * where all planes are the same for text.
 *
 * @param count of planes, 1 for rank 2
 * @param leading whether there is an axis of planes
 */
public record PositionPlanes(int count, boolean leading) {
    private static final int LARGEST = 16;

    /** @throws KindlingException UNRESOLVED when the port has another rank or the number of planes is open */
    public static PositionPlanes of(ValueInfo port) {
        Optional<List<Dimension>> shape =
                port.type() instanceof ValueType.TensorType tensor ? tensor.shape() : Optional.empty();
        if (shape.isEmpty() || shape.get().size() == 2) {
            return new PositionPlanes(1, false);
        }
        boolean planes = shape.get().size() == 3
                && shape.get().get(0).sizeOrMinusOne() >= 1
                && shape.get().get(0).sizeOrMinusOne() <= LARGEST;
        if (!planes) {
            throw new KindlingException(
                    ErrorCode.UNRESOLVED,
                    "position ids '" + port.name() + "' are " + shape.get()
                            + "; only [batch, sequence] or a fixed number of planes before it are supported");
        }
        return new PositionPlanes((int) shape.get().get(0).sizeOrMinusOne(), true);
    }

    /** The shape for so many tokens of one row. */
    public long[] shape(long tokens) {
        return leading ? new long[] {count, 1, tokens} : new long[] {1, tokens};
    }
}
