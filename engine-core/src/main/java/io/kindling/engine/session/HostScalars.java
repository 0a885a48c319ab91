package io.kindling.engine.session;

import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.OperatorException;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.provider.HostBuffer;
import io.kindling.engine.provider.Tensor;
import java.nio.ByteBuffer;

/** Reads what control flow needs on the host, from whatever device it is on. */
final class HostScalars {
    private HostScalars() {}

    static boolean readBool(Frame frame, int id, PlannedNode node) {
        return read(frame, id, node, DataType.BOOL).get(0) != 0;
    }

    static long readLong(Frame frame, int id, PlannedNode node) {
        return read(frame, id, node, DataType.INT64).getLong(0);
    }

    private static ByteBuffer read(Frame frame, int id, PlannedNode node, DataType type) {
        Tensor tensor = (Tensor) frame.value(id);
        if (tensor.type() != type || tensor.elementCount() != 1) {
            throw new OperatorException(
                    ErrorCode.SHAPE_OR_TYPE,
                    node.node().operator(),
                    node.node().name(),
                    "needs one " + type.onnxName() + ", found " + tensor);
        }
        return onHost(frame, tensor).bytes();
    }

    /** The tensor itself where it is on the host, else a copy that is. */
    static Tensor onHost(Frame frame, Tensor tensor) {
        if (tensor.buffer().isHost()) {
            return tensor;
        }
        int bytes = (int) tensor.byteSize();
        HostBuffer host = HostBuffer.of(ByteBuffer.allocateDirect(bytes), 0);
        frame.stream.download(tensor.buffer(), tensor.byteOffset(), host, 0, bytes);
        frame.stream.synchronize();
        return Tensor.of(tensor.type(), tensor.shape(), host);
    }
}
