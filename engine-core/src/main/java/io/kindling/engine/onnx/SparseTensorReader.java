package io.kindling.engine.onnx;

import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.ModelException;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.TensorData;
import io.kindling.engine.onnx.proto.SparseTensorProto;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Reads {@code SparseTensorProto} (coordinate format: values {@code [n]}, indices {@code [n]} into the flattened tensor or
 * {@code [n, rank]}) as the dense tensor it stands for.
 */
final class SparseTensorReader {
    private final TensorReader tensors;
    private final String source;

    SparseTensorReader(TensorReader tensors, String source) {
        this.tensors = tensors;
        this.source = source;
    }

    TensorData read(SparseTensorProto proto) {
        String name = proto.getValues().getName();
        TensorData values = tensors.read(proto.getValues());
        TensorData indices = tensors.read(proto.getIndices());
        long[] shape = proto.getDimsList().stream().mapToLong(Long::longValue).toArray();
        long elements = tensors.elementCount(name, shape);
        long size = tensors.byteSize(name, values.type(), elements);
        int count = Math.toIntExact(values.elementCount());
        long[] indexShape = indices.shape();
        boolean linear = indexShape.length == 1;
        if (values.shape().length != 1
                || indexShape.length > 2
                || indexShape.length == 0
                || indexShape[0] != count
                || !linear && indexShape[1] != shape.length) {
            throw invalid(name, "has values " + values + " and indices " + indices + ", which do not fit each other");
        }
        long[] places = indices.integers()
                .filter(any -> indices.type() == DataType.INT64)
                .orElseThrow(
                        () -> invalid(name, "has indices " + indices + ", which must be int64 in the file itself"));
        int[] targets = new int[count];
        for (int k = 0; k < count; k++) {
            long place = 0;
            for (int axis = 0; axis < (linear ? 1 : shape.length); axis++) {
                long at = places[linear ? k : k * shape.length + axis];
                long bound = linear ? elements : shape[axis];
                if (at < 0 || at >= bound) {
                    throw invalid(name, "has index " + at + ", which is not below " + bound);
                }
                place = linear ? at : place * bound + at;
            }
            targets[k] = Math.toIntExact(place);
        }
        return new TensorData(values.type(), shape, scattered(name, values, targets, elements, size));
    }

    private TensorData.Content scattered(String name, TensorData values, int[] targets, long elements, long size) {
        if (values.content() instanceof TensorData.Strings strings) {
            List<String> dense = new ArrayList<>(Collections.nCopies(Math.toIntExact(elements), ""));
            for (int k = 0; k < targets.length; k++) {
                dense.set(targets[k], strings.values().get(k));
            }
            return new TensorData.Strings(dense);
        }
        if (!(values.content() instanceof TensorData.Inline inline)
                || values.type().bits() < 8) {
            throw invalid(name, "has values " + values + ", which must be of whole bytes and in the file itself");
        }
        int width = values.type().bits() / 8;
        ByteBuffer from = inline.bytes();
        ByteBuffer dense = ByteBuffer.allocateDirect(Math.toIntExact(size)).order(ByteOrder.LITTLE_ENDIAN);
        for (int k = 0; k < targets.length; k++) {
            dense.put(targets[k] * width, from, from.position() + k * width, width);
        }
        return new TensorData.Inline(dense);
    }

    private ModelException invalid(String name, String problem) {
        return new ModelException(ErrorCode.MODEL_INVALID, source, "sparse tensor '" + name + "'", problem);
    }
}
