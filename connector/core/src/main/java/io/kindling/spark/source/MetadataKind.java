package io.kindling.spark.source;

import static io.kindling.spark.convert.InternalValues.toInternalRow;

import io.kindling.engine.error.KindlingException;
import io.kindling.engine.gguf.GgufHeader;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.TensorData;
import io.kindling.engine.ir.ValueInfo;
import io.kindling.engine.ir.ValueType.TensorType;
import io.kindling.spark.convert.OutputTypes;
import io.kindling.spark.convert.RowAxis;
import io.kindling.spark.runtime.ModelHeader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/** The tables that tell of a model. */
enum MetadataKind {
    PORTS(columns()
            .add(column("direction", DataTypes.StringType, "input or output"))
            .add(column("position", DataTypes.IntegerType, "among the inputs or the outputs, from 0"))
            .add(column("name", DataTypes.StringType, "of the port; fields of run's struct have it"))
            .add(column("type", DataTypes.StringType, "as the graph declares it, such as float[batch, 3]"))
            .add(column("element_type", DataTypes.StringType, "ONNX's name of a tensor's elements"))
            .add(column("shape", texts(), "sizes and names of open sizes; NULL where the graph says nothing"))
            .add(column("column_type", DataTypes.StringType, "of a column with its values; NULL where none fits"))) {
        @Override
        List<InternalRow> rows(ModelHeader model) {
            var graph = model.graph().graph();
            RowAxis axis = RowAxis.of(graph.inputs(), graph.outputs());
            List<InternalRow> rows = new ArrayList<>();
            ports("input", graph.inputs(), axis, rows);
            ports("output", graph.outputs(), axis, rows);
            return rows;
        }
    },
    NODES(columns()
            .add(column("graph", DataTypes.StringType, "empty, node/attribute of a nested graph, or a function's name"))
            .add(column("position", DataTypes.IntegerType, "in the order of the graph, from 0"))
            .add(column("name", DataTypes.StringType, "of the node"))
            .add(column("domain", DataTypes.StringType, "of the operator, ai.onnx for the standard ones"))
            .add(column("op_type", DataTypes.StringType, "name of the operator"))
            .add(column("inputs", texts(), "values read; empty for an optional one that is not given"))
            .add(column("outputs", texts(), "values made; empty for one that nobody wants"))
            .add(column(
                    "attributes",
                    DataTypes.createMapType(DataTypes.StringType, DataTypes.StringType, false),
                    "as text; tensors and graphs by type and name"))) {
        @Override
        List<InternalRow> rows(ModelHeader model) {
            return new GraphWalk(model.graph()).nodes();
        }
    },
    WEIGHTS(columns()
            .add(column("graph", DataTypes.StringType, "empty, or node/attribute of a nested graph"))
            .add(column("name", DataTypes.StringType, "of the constant"))
            .add(column("element_type", DataTypes.StringType, "ONNX's name of its elements, or GGUF's"))
            .add(column("shape", DataTypes.createArrayType(DataTypes.LongType, false), "sizes of its axes"))
            .add(column("bytes", DataTypes.LongType, "size; NULL for strings"))
            .add(column("file", DataTypes.StringType, "with external data; NULL for what lies in the graph's file"))
            .add(column("offset", DataTypes.LongType, "in that file"))) {
        @Override
        List<InternalRow> rows(ModelHeader model) {
            return new GraphWalk(model.graph()).weights();
        }

        @Override
        Optional<List<InternalRow>> rows(GgufHeader model) {
            return Optional.of(model.weights().stream()
                    .map(weight -> toInternalRow(
                            "",
                            weight.name(),
                            weight.type(),
                            weight.shape(),
                            weight.bytes(),
                            weight.file().getFileName().toString(),
                            weight.offset()))
                    .toList());
        }
    },
    METADATA(columns()
            .add(column("key", DataTypes.StringType, "a fact, or property.<name> for one that the file carries"))
            .add(column("value", DataTypes.StringType, "of it"))) {
        @Override
        List<InternalRow> rows(ModelHeader model) {
            var graph = model.graph();
            var resolved = model.modelPackage();
            List<InternalRow> rows = new ArrayList<>();
            fact("file", resolved.modelFile().getFileName(), rows);
            fact("graph", graph.graph().name(), rows);
            fact("ir_version", graph.irVersion(), rows);
            new TreeMap<>(graph.opsetImports())
                    .forEach((domain, version) -> fact("opset." + GraphWalk.label(domain), version, rows));
            fact("nodes", graph.graph().nodes().size(), rows);
            fact("resolved_by", resolved.resolvedBy(), rows);
            fact("decoder", resolved.decoder().isPresent(), rows);
            resolved.contextLength().ifPresent(length -> fact("context_length", length, rows));
            fact("tokenizer", resolved.tokenizerFile().isPresent(), rows);
            fact("chat_template", !resolved.chatTemplates().texts().isEmpty(), rows);
            new TreeMap<>(graph.metadata()).forEach((key, value) -> fact("property." + key, value, rows));
            return rows;
        }

        @Override
        Optional<List<InternalRow>> rows(GgufHeader model) {
            List<InternalRow> rows = new ArrayList<>();
            model.metadata()
                    .forEach((key, value) -> fact(
                            "property." + key,
                            value instanceof List<?> list && list.size() > SHORT_LIST ? list.size() + " values" : value,
                            rows));
            return Optional.of(rows);
        }
    };

    /** Values that a fact spells out. */
    private static final int SHORT_LIST = 16;

    private final StructType schema;

    MetadataKind(StructType schema) {
        this.schema = schema;
    }

    /** Its name in SQL. */
    String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    StructType schema() {
        return schema;
    }

    abstract List<InternalRow> rows(ModelHeader model);

    /** What a GGUF file says of it; empty where it takes a graph. */
    Optional<List<InternalRow>> rows(GgufHeader model) {
        return Optional.empty();
    }

    private static StructType columns() {
        return new StructType();
    }

    private static StructField column(String name, org.apache.spark.sql.types.DataType type, String comment) {
        return DataTypes.createStructField(name, type, true).withComment(comment);
    }

    private static org.apache.spark.sql.types.DataType texts() {
        return DataTypes.createArrayType(DataTypes.StringType, false);
    }

    private static void ports(String direction, List<ValueInfo> ports, RowAxis axis, List<InternalRow> rows) {
        for (int k = 0; k < ports.size(); k++) {
            ValueInfo port = ports.get(k);
            Object element = null;
            Object shape = null;
            if (port.type() instanceof TensorType tensor) {
                element = tensor.elementType().map(DataType::onnxName).orElse(null);
                shape = tensor.shape()
                        .map(sizes -> sizes.stream().map(Object::toString).toList())
                        .orElse(null);
            }
            rows.add(toInternalRow(
                    direction, k, port.name(), port.type().text(), element, shape, columnType(port, axis)));
        }
    }

    private static String columnType(ValueInfo port, RowAxis axis) {
        try {
            return OutputTypes.of(port, axis).sql();
        } catch (KindlingException none) {
            return null;
        }
    }

    private static void fact(String key, Object value, List<InternalRow> rows) {
        rows.add(toInternalRow(key, value.toString()));
    }

    /** A row of {@link #WEIGHTS}. */
    static InternalRow weight(String graph, String name, TensorData data) {
        boolean strings = data.type() == DataType.STRING;
        Path file = data.content() instanceof TensorData.External external ? external.file() : null;
        return toInternalRow(
                graph,
                name,
                data.type().onnxName(),
                Arrays.stream(data.shape()).boxed().toList(),
                strings ? null : data.byteSize(),
                file == null ? null : file.getFileName().toString(),
                data.content() instanceof TensorData.External external ? external.offset() : null);
    }
}
