package io.kindling.engine.gguf;

import io.kindling.engine.gguf.WeightRows.Source;
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

/** The tensors of a file: checked against the sizes of its decoder and written out in ONNX layouts. */
final class DecoderWeights {
    private final GgufFile file;
    private final ExternalDataFile data;
    private final Map<String, TensorData> initializers;
    private final Set<String> used = new HashSet<>();

    /** @param initializers receives what is written, by its name in the graph */
    DecoderWeights(GgufFile file, ExternalDataFile data, Map<String, TensorData> initializers) {
        this.file = file;
        this.data = data;
        this.initializers = initializers;
    }

    boolean has(String name) {
        return file.tensors().containsKey(name);
    }

    /** Takes a tensor as known though nothing of it is converted. */
    void ignore(String name) {
        used.add(name);
    }

    /** Whether all sources are of one type, so that they can be one weight. */
    boolean areOfOneType(List<Source> sources) {
        return sources.stream()
                        .map(source -> file.tensor(source.tensor()).type())
                        .distinct()
                        .count()
                == 1;
    }

    /** Rows of {@code columns} inputs from tensors of one type. */
    WeightRows matrix(int columns, List<Source> sources) {
        GgufType type = file.tensor(sources.get(0).tensor()).type();
        WeightRows rows = new WeightRows(file, type, columns);
        for (Source source : sources) {
            rows.add(checked(source.tensor(), List.of((long) columns, (long) source.all())), source);
        }
        return rows;
    }

    WeightRows matrix(String name, int columns, int rows) {
        return matrix(columns, List.of(Source.whole(name, rows)));
    }

    /** A vector in float32, its elements in the order of the sources' rows. */
    void vector(String target, List<Source> sources) throws IOException {
        WeightRows rows = null;
        int size = 0;
        for (Source source : sources) {
            GgufTensor tensor = checked(source.tensor(), List.of((long) source.all()));
            if (!FloatCodec.isFloat(tensor.type())) {
                throw file.unsupported(
                        "tensor '" + tensor.name() + "'", "is " + tensor.type() + ", expected F32, F16 or BF16");
            }
            // One element a row, so that the order of rows is that of elements.
            GgufTensor column = new GgufTensor(
                    tensor.file(),
                    tensor.name(),
                    tensor.type(),
                    List.of(1L, (long) source.all()),
                    tensor.offset(),
                    tensor.byteSize());
            rows = rows == null ? new WeightRows(file, tensor.type(), 1) : rows;
            rows.add(column, source);
            size += source.rows();
        }
        FloatCodec codec = new FloatCodec(rows);
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
                    "is none that such a decoder has (" + unused.size()
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
}
