package io.kindling.engine.generate;

import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import io.kindling.engine.provider.Tensor;

/** Writes token ids, positions and masks in whatever type a graph declares for them. */
final class Integers {
    private Integers() {}

    static void put(Tensor tensor, int index, long value) {
        switch (tensor.type()) {
            case INT64 -> tensor.longs().put(index, value);
            case INT32 -> tensor.ints().put(index, (int) value);
            case FLOAT -> tensor.floats().put(index, value);
            case BOOL -> tensor.bytes().put(index, (byte) value);
            default ->
                throw new KindlingException(
                        ErrorCode.UNSUPPORTED,
                        "token ids, masks and positions of type "
                                + tensor.type().onnxName() + " are not supported; use int64 or int32");
        }
    }
}
