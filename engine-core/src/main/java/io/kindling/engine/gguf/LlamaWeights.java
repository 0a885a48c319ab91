package io.kindling.engine.gguf;

import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.TensorData;
import io.kindling.engine.onnx.ExternalDataFile;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.IntUnaryOperator;

/** The tensors of a llama file: checked against its sizes and written out in ONNX layouts. */
final class LlamaWeights {
    private final GgufFile file;
    private final LlamaConfig config;
    private final ExternalDataFile data;
    private final Map<String, TensorData> initializers;
    private final Set<String> used = new HashSet<>();

    /** @param initializers receives what is written, by its name in the graph */
    LlamaWeights(GgufFile file, LlamaConfig config, ExternalDataFile data, Map<String, TensorData> initializers) {
        this.file = file;
        this.config = config;
        this.data = data;
        this.initializers = initializers;
    }

    boolean has(String name) {
        return file.tensors().containsKey(name);
    }

    GgufType type(String name) {
        return file.tensor(name).type();
    }

    /** A weight of {@code rows} outputs and {@code columns} inputs. */
    WeightRows matrix(String name, int columns, int rows) {
        return WeightRows.of(file, checked(name, List.of((long) columns, (long) rows)));
    }

    /** Query, key and value weights as one, their rows in the order of rotated halves. */
    WeightRows queryKeyValue(String prefix) {
        String[] names = {prefix + "attn_q.weight", prefix + "attn_k.weight", prefix + "attn_v.weight"};
        WeightRows rows = new WeightRows(file, type(names[0]), config.hidden());
        rows.add(attention(names[0], config.queryRows()), WeightRows.undoRopePairing(config.headSize()));
        rows.add(attention(names[1], config.keyValueRows()), WeightRows.undoRopePairing(config.headSize()));
        return rows.add(attention(names[2], config.keyValueRows()), IntUnaryOperator.identity());
    }

    /** One of them alone. */
    WeightRows query(String name, int rows, boolean rotated) {
        return new WeightRows(file, type(name), config.hidden())
                .add(
                        attention(name, rows),
                        rotated ? WeightRows.undoRopePairing(config.headSize()) : IntUnaryOperator.identity());
    }

    private GgufTensor attention(String name, int rows) {
        return checked(name, List.of((long) config.hidden(), (long) rows));
    }

    /** A vector in float32. */
    void vector(String name, int size, String target) throws IOException {
        vector(name, size, IntUnaryOperator.identity(), target);
    }

    void vector(String name, int size, IntUnaryOperator order, String target) throws IOException {
        GgufTensor tensor = checked(name, List.of((long) size));
        requireFloat(tensor);
        // One element a row, so that the order of rows is that of elements.
        GgufTensor column =
                new GgufTensor(name, tensor.type(), List.of(1L, (long) size), tensor.offset(), tensor.byteSize());
        FloatCodec codec = new FloatCodec(new WeightRows(file, tensor.type(), 1).add(column, order));
        initializers.put(target, data.append(DataType.FLOAT, new long[] {size}, size, codec::putRow));
    }

    /** Values of a float vector, for tables that are computed from it. */
    float[] values(String name, int size) {
        GgufTensor tensor = checked(name, List.of((long) size));
        if (tensor.type() != GgufType.F32) {
            throw file.unsupported("tensor '" + name + "'", "is " + tensor.type() + ", expected F32");
        }
        float[] values = new float[size];
        file.map(tensor).asFloatBuffer().get(values);
        return values;
    }

    /** A block-quantised weight: {@code NAME_codes}, {@code NAME_scales} and, for types with offsets, {@code NAME_zero_points}. */
    BlockCodec blocks(WeightRows rows, String target) throws IOException {
        BlockCodec codec = new BlockCodec(rows);
        long[] perBlock = {rows.rows(), codec.groupsPerRow()};
        long[] codes = {rows.rows(), codec.groupsPerRow(), codec.codeBytesPerGroup()};
        initializers.put(target + "_codes", data.append(DataType.UINT8, codes, rows.rows(), codec::putCodes));
        initializers.put(target + "_scales", data.append(DataType.FLOAT, perBlock, rows.rows(), codec::putScales));
        if (codec.hasZeroPoints()) {
            initializers.put(
                    target + "_zero_points", data.append(DataType.FLOAT, perBlock, rows.rows(), codec::putZeroPoints));
        }
        return codec;
    }

    /** A float weight for {@code MatMul}: transposed, float32. */
    void transposed(WeightRows rows, String target) throws IOException {
        long[] shape = {rows.columns(), rows.rows()};
        initializers.put(target, data.append(DataType.FLOAT, shape, rows.columns(), new FloatCodec(rows)::putColumn));
    }

    /**
     * An embedding table: float types as they are, quantised ones in float16.
     *
     * @return the type of the table
     */
    DataType table(WeightRows rows, String target) throws IOException {
        FloatCodec codec = new FloatCodec(rows);
        DataType type =
                switch (rows.type()) {
                    case F32 -> DataType.FLOAT;
                    case BF16 -> DataType.BFLOAT16;
                    default -> DataType.FLOAT16;
                };
        long[] shape = {rows.rows(), rows.columns()};
        ExternalDataFile.Rows content = FloatCodec.isFloat(rows.type()) ? codec::putSourceRow : codec::putHalfRow;
        initializers.put(target, data.append(type, shape, rows.rows(), content));
        return type;
    }

    /** Computed rows of float32, such as the RoPE tables. */
    void computed(String target, int rows, int columns, ExternalDataFile.Rows content) throws IOException {
        initializers.put(target, data.append(DataType.FLOAT, new long[] {rows, columns}, rows, content));
    }

    /** Refuses the file when it has tensors that were not used: the model computes something else. */
    void refuseUnused() {
        Set<String> unused = new TreeSet<>(file.tensors().keySet());
        unused.removeAll(used);
        if (!unused.isEmpty()) {
            throw file.unsupported(
                    "tensor '" + unused.iterator().next() + "'",
                    "is none that a llama decoder has (" + unused.size()
                            + " such in all); the model is of a variant that is not converted");
        }
    }

    private GgufTensor checked(String name, List<Long> dimensions) {
        GgufTensor tensor = file.tensor(name);
        if (!tensor.dimensions().equals(dimensions)) {
            throw file.invalid(
                    "tensor '" + name + "'",
                    "has dimensions " + tensor.dimensions() + ", expected " + dimensions + " by the metadata");
        }
        if (!FloatCodec.isFloat(tensor.type()) && BlockLayout.of(tensor.type()).isEmpty()) {
            throw file.unsupported(
                    "tensor '" + name + "' at offset " + tensor.offset(),
                    "is " + tensor.type() + ", which is not converted; take a file in F32, F16, BF16 or one of "
                            + Arrays.toString(BlockLayout.values()));
        }
        used.add(name);
        return tensor;
    }

    private void requireFloat(GgufTensor tensor) {
        if (!FloatCodec.isFloat(tensor.type())) {
            throw file.unsupported(
                    "tensor '" + tensor.name() + "'", "is " + tensor.type() + ", expected F32, F16 or BF16");
        }
    }
}
