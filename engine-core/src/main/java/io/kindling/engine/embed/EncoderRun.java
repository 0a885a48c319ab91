package io.kindling.engine.embed;

import io.kindling.engine.DeviceBinding;
import io.kindling.engine.Session;
import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Dimension;
import io.kindling.engine.ir.Half;
import io.kindling.engine.ir.ValueInfo;
import io.kindling.engine.ir.ValueType.TensorType;
import io.kindling.engine.metadata.EncoderIo;
import io.kindling.engine.provider.DeviceAllocator;
import io.kindling.engine.provider.GrowingTensor;
import io.kindling.engine.provider.Tensor;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** One thread's handle on an encoder: fills the inputs of a batch, runs it and reads an output. Not thread-safe. */
final class EncoderRun implements AutoCloseable {
    private final EncoderIo io;
    private final DeviceBinding binding;
    private final Map<String, GrowingTensor> inputs = new HashMap<>();
    private final long[] fixed;

    EncoderRun(EncoderIo io, Session session, DeviceAllocator allocator) {
        this.io = io;
        fixed = fixedSizes(session.inputs(), io.tokens());
        for (ValueInfo input : session.inputs()) {
            inputs.put(input.name(), new GrowingTensor(allocator, elementType(input)));
        }
        binding = session.newBinding();
    }

    /**
     * A batch's output.
     *
     * @param values row-major, widened to float32
     * @param length tokens of each row with padding
     * @param rows texts in it; the graph may have a fixed number of them, more than these
     */
    record Output(float[] values, long[] shape, int length, int rows) {
        /** Size of the last dimension. */
        int width() {
            return Math.toIntExact(shape[shape.length - 1]);
        }
    }

    /** Sizes of [batch, tokens] that the graph fixes, −1 where it does not. */
    static long[] fixedSizes(List<ValueInfo> inputs, String tokens) {
        return inputs.stream()
                .filter(input -> input.name().equals(tokens))
                .findFirst()
                .flatMap(input -> input.type() instanceof TensorType tensor ? tensor.shape() : Optional.empty())
                .map(shape ->
                        shape.stream().mapToLong(Dimension::sizeOrMinusOne).toArray())
                .filter(shape -> shape.length == 2)
                .orElse(new long[] {-1, -1});
    }

    private static DataType elementType(ValueInfo input) {
        Optional<DataType> type = input.type() instanceof TensorType tensor ? tensor.elementType() : Optional.empty();
        return type.filter(found -> found == DataType.INT64 || found == DataType.INT32)
                .orElseThrow(() -> new KindlingException(
                        ErrorCode.UNSUPPORTED,
                        "the input '" + input.name() + "' of a text encoder must be int64 or int32, not "
                                + type.map(DataType::onnxName).orElse("untyped")));
    }

    /**
     * Runs a batch of at least one text.
     *
     * @param rows token ids of each text
     */
    Output run(List<int[]> rows, String output) {
        int longest = rows.stream().mapToInt(row -> row.length).max().orElseThrow();
        int length = fixed[1] < 0 ? longest : Math.toIntExact(fixed[1]);
        int count = fixed[0] < 0 ? rows.size() : Math.toIntExact(fixed[0]);
        if (longest > length) {
            throw new KindlingException(
                    ErrorCode.SHAPE_OR_TYPE,
                    "the graph takes texts of " + length + " tokens, found one of " + longest + "; set max_tokens to "
                            + length);
        }
        bind(io.tokens(), rows, count, length, (row, t) -> t < row.length ? row[t] : io.padId());
        io.mask().ifPresent(name -> bind(name, rows, count, length, (row, t) -> t < row.length ? 1 : 0));
        io.typeIds().ifPresent(name -> bind(name, rows, count, length, (row, t) -> 0));
        io.positionIds().ifPresent(name -> bind(name, rows, count, length, (row, t) -> t));
        binding.run();
        Tensor tensor = (Tensor) binding.output(output);
        return new Output(floats(tensor, output), tensor.shape(), length, rows.size());
    }

    private interface Filler {
        long value(int[] row, int token);
    }

    /** Rows beyond the given ones, in graphs of a fixed batch, repeat the last one. */
    private void bind(String name, List<int[]> rows, int count, int length, Filler filler) {
        Tensor tensor = inputs.get(name).shaped(count, length);
        for (int r = 0; r < count; r++) {
            int[] row = rows.get(Math.min(r, rows.size() - 1));
            for (int t = 0; t < length; t++) {
                long value = filler.value(row, t);
                if (tensor.type() == DataType.INT64) {
                    tensor.longs().put(r * length + t, value);
                } else {
                    tensor.ints().put(r * length + t, (int) value);
                }
            }
        }
        binding.bindInput(name, tensor);
    }

    private static float[] floats(Tensor tensor, String name) {
        float[] values = new float[Math.toIntExact(tensor.elementCount())];
        switch (tensor.type()) {
            case FLOAT -> tensor.floats().get(0, values);
            case FLOAT16 -> {
                for (int k = 0; k < values.length; k++) {
                    values[k] = Half.toFloat(tensor.shorts().get(k));
                }
            }
            case BFLOAT16 -> {
                for (int k = 0; k < values.length; k++) {
                    values[k] = Float.intBitsToFloat(tensor.shorts().get(k) << 16);
                }
            }
            case DOUBLE -> {
                for (int k = 0; k < values.length; k++) {
                    values[k] = (float) tensor.doubles().get(k);
                }
            }
            default ->
                throw new KindlingException(
                        ErrorCode.UNSUPPORTED,
                        "the output '" + name + "' of a text encoder is of type "
                                + tensor.type().onnxName() + ", which is no floating-point type");
        }
        return values;
    }

    @Override
    public void close() {
        binding.close();
        inputs.values().forEach(GrowingTensor::close);
    }
}
