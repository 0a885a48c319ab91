package io.kindling.engine.onnx;

import com.google.protobuf.ByteString;
import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.ModelException;
import io.kindling.engine.ir.Attribute;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Dimension;
import io.kindling.engine.ir.Graph;
import io.kindling.engine.ir.Node;
import io.kindling.engine.ir.OnnxModel;
import io.kindling.engine.ir.TensorData;
import io.kindling.engine.ir.ValueInfo;
import io.kindling.engine.ir.ValueType;
import io.kindling.engine.onnx.proto.AttributeProto;
import io.kindling.engine.onnx.proto.FunctionProto;
import io.kindling.engine.onnx.proto.GraphProto;
import io.kindling.engine.onnx.proto.NodeProto;
import io.kindling.engine.onnx.proto.SparseTensorProto;
import io.kindling.engine.onnx.proto.TensorProto;
import io.kindling.engine.onnx.proto.TensorShapeProto;
import io.kindling.engine.onnx.proto.TypeProto;
import io.kindling.engine.onnx.proto.ValueInfoProto;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Turns graph messages into the engine's graph, one to one; {@link GraphChecker} proves the whole sound. */
final class GraphReader {
    private final String source;
    private final TensorReader tensors;
    private final LoadLimits limits;
    private int nodeCount;

    GraphReader(String source, TensorReader tensors, LoadLimits limits) {
        this.source = source;
        this.tensors = tensors;
        this.limits = limits;
    }

    /** The default domain has two spellings. */
    static String domain(String domain) {
        return domain.equals("ai.onnx") ? "" : domain;
    }

    Graph graph(GraphProto proto, int depth) {
        if (depth > limits.nesting()) {
            throw invalid("graph '" + proto.getName() + "'", "is nested more than " + limits.nesting() + " deep");
        }
        Graph.Builder graph = Graph.builder(proto.getName());
        for (TensorProto initializer : proto.getInitializerList()) {
            addInitializer(graph, initializer.getName(), tensors.read(initializer));
        }
        for (SparseTensorProto initializer : proto.getSparseInitializerList()) {
            addInitializer(
                    graph,
                    initializer.getValues().getName(),
                    new SparseTensorReader(tensors, source).read(initializer));
        }
        for (ValueInfoProto input : proto.getInputList()) {
            if (!graph.initializers().containsKey(input.getName())) {
                graph.inputs().add(valueInfo(input));
            }
        }
        proto.getOutputList().forEach(output -> graph.outputs().add(valueInfo(output)));
        proto.getValueInfoList()
                .forEach(value -> graph.valueTypes().put(value.getName(), type(value.getType(), value.getName(), 0)));
        graph.nodes().addAll(nodes(proto.getNodeList(), depth));
        return graph.build();
    }

    private void addInitializer(Graph.Builder graph, String name, TensorData value) {
        if (name.isEmpty()) {
            throw invalid("graph", "has an initializer without a name");
        }
        if (graph.initializers().put(name, value) != null) {
            throw invalid("initializer '" + name + "'", "is defined twice");
        }
    }

    List<OnnxModel.Function> functions(List<FunctionProto> protos) {
        List<OnnxModel.Function> functions = new ArrayList<>();
        for (FunctionProto proto : protos) {
            String element = "function '" + proto.getName() + "'";
            Map<String, Attribute> defaults = new HashMap<>();
            proto.getAttributeProtoList().forEach(a -> defaults.put(a.getName(), attribute(a, element, 0)));
            functions.add(new OnnxModel.Function(
                    domain(proto.getDomain()),
                    proto.getName(),
                    proto.getInputList(),
                    proto.getOutputList(),
                    proto.getAttributeList(),
                    defaults,
                    nodes(proto.getNodeList(), 0),
                    OnnxLoader.opsets(source, element, proto.getOpsetImportList())));
        }
        return functions;
    }

    private List<Node> nodes(List<NodeProto> protos, int depth) {
        nodeCount += protos.size();
        if (nodeCount > limits.nodes()) {
            throw invalid("graph", "has more than " + limits.nodes() + " nodes");
        }
        List<Node> nodes = new ArrayList<>(protos.size());
        Map<String, Integer> uses = new HashMap<>();
        for (NodeProto proto : protos) {
            String name = proto.getName();
            if (name.isEmpty()) {
                name = proto.getOpType() + "_" + nodes.size();
            }
            int use = uses.merge(name, 1, Integer::sum);
            if (use > 1) {
                name = name + "#" + use;
            }
            nodes.add(node(proto, name, depth));
        }
        return nodes;
    }

    private Node node(NodeProto proto, String name, int depth) {
        if (proto.getOpType().isEmpty()) {
            throw invalid("node '" + name + "'", "has no op_type");
        }
        Map<String, Attribute> attributes = new LinkedHashMap<>();
        for (AttributeProto attribute : proto.getAttributeList()) {
            Attribute value = attribute(attribute, "node '" + name + "'", depth);
            if (attributes.put(attribute.getName(), value) != null) {
                throw invalid("node '" + name + "'", "has attribute '" + attribute.getName() + "' twice");
            }
        }
        return new Node(
                name,
                domain(proto.getDomain()),
                proto.getOpType(),
                proto.getInputList(),
                proto.getOutputList(),
                attributes);
    }

    private Attribute attribute(AttributeProto proto, String element, int depth) {
        if (!proto.getRefAttrName().isEmpty()) {
            return new Attribute.Reference(proto.getRefAttrName());
        }
        return switch (kind(proto)) {
            case INT -> new Attribute.IntValue(proto.getI());
            case FLOAT -> new Attribute.FloatValue(proto.getF());
            case STRING -> new Attribute.StringValue(proto.getS().toByteArray());
            case TENSOR -> new Attribute.TensorValue(tensors.read(proto.getT()));
            case GRAPH -> new Attribute.GraphValue(graph(proto.getG(), depth + 1));
            case TYPE_PROTO -> new Attribute.TypeValue(type(proto.getTp(), proto.getName(), 0));
            case INTS ->
                new Attribute.IntsValue(
                        proto.getIntsList().stream().mapToLong(Long::longValue).toArray());
            case FLOATS -> floats(proto);
            case STRINGS ->
                new Attribute.StringsValue(proto.getStringsList().stream()
                        .map(ByteString::toByteArray)
                        .map(Attribute.StringValue::new)
                        .toList());
            case TENSORS ->
                new Attribute.TensorsValue(
                        proto.getTensorsList().stream().map(tensors::read).toList());
            case GRAPHS ->
                new Attribute.GraphsValue(proto.getGraphsList().stream()
                        .map(g -> graph(g, depth + 1))
                        .toList());
            case SPARSE_TENSOR ->
                new Attribute.TensorValue(new SparseTensorReader(tensors, source).read(proto.getSparseTensor()));
            case SPARSE_TENSORS, TYPE_PROTOS, UNDEFINED ->
                throw new ModelException(
                        ErrorCode.UNSUPPORTED,
                        source,
                        element,
                        "attribute '" + proto.getName() + "' has kind " + kind(proto) + ", which is not supported");
        };
    }

    /** Files of IR version 1 leave the kind out: then the field that is set tells. */
    private static AttributeProto.AttributeType kind(AttributeProto proto) {
        if (proto.hasType() && proto.getType() != AttributeProto.AttributeType.UNDEFINED) {
            return proto.getType();
        }
        if (proto.hasF()) {
            return AttributeProto.AttributeType.FLOAT;
        }
        if (proto.hasI()) {
            return AttributeProto.AttributeType.INT;
        }
        if (proto.hasS()) {
            return AttributeProto.AttributeType.STRING;
        }
        if (proto.hasT()) {
            return AttributeProto.AttributeType.TENSOR;
        }
        if (proto.hasG()) {
            return AttributeProto.AttributeType.GRAPH;
        }
        if (proto.getFloatsCount() > 0) {
            return AttributeProto.AttributeType.FLOATS;
        }
        if (proto.getIntsCount() > 0) {
            return AttributeProto.AttributeType.INTS;
        }
        return proto.getStringsCount() > 0
                ? AttributeProto.AttributeType.STRINGS
                : AttributeProto.AttributeType.UNDEFINED;
    }

    private static Attribute floats(AttributeProto proto) {
        float[] values = new float[proto.getFloatsCount()];
        for (int k = 0; k < values.length; k++) {
            values[k] = proto.getFloats(k);
        }
        return new Attribute.FloatsValue(values);
    }

    private ValueInfo valueInfo(ValueInfoProto proto) {
        return new ValueInfo(proto.getName(), type(proto.getType(), proto.getName(), 0));
    }

    ValueType type(TypeProto proto, String value, int depth) {
        if (depth > limits.nesting()) {
            throw invalid("value '" + value + "'", "has a type nested more than " + limits.nesting() + " deep");
        }
        return switch (proto.getValueCase()) {
            case TENSOR_TYPE -> {
                TypeProto.Tensor tensor = proto.getTensorType();
                yield new ValueType.TensorType(
                        DataType.ofCode(tensor.getElemType()),
                        tensor.hasShape() ? Optional.of(shape(tensor.getShape(), value)) : Optional.empty());
            }
            case SEQUENCE_TYPE ->
                new ValueType.SequenceType(type(proto.getSequenceType().getElemType(), value, depth + 1));
            case OPTIONAL_TYPE ->
                new ValueType.OptionalType(type(proto.getOptionalType().getElemType(), value, depth + 1));
            case MAP_TYPE ->
                new ValueType.MapType(
                        DataType.ofCode(proto.getMapType().getKeyType())
                                .orElseThrow(
                                        () -> invalid("value '" + value + "'", "is a map with an unknown key type")),
                        type(proto.getMapType().getValueType(), value, depth + 1));
            case SPARSE_TENSOR_TYPE ->
                throw new ModelException(
                        ErrorCode.UNSUPPORTED, source, "value '" + value + "'", "sparse tensors are not supported");
            case VALUE_NOT_SET -> ValueType.UNKNOWN;
        };
    }

    private List<Dimension> shape(TensorShapeProto proto, String value) {
        List<Dimension> shape = new ArrayList<>();
        for (TensorShapeProto.Dimension dimension : proto.getDimList()) {
            if (dimension.hasDimValue()) {
                if (dimension.getDimValue() < 0) {
                    // Older exporters write -1 for a size that is not known.
                    if (dimension.getDimValue() != -1) {
                        throw invalid("value '" + value + "'", "has dimension " + dimension.getDimValue());
                    }
                    shape.add(Dimension.UNKNOWN);
                } else {
                    shape.add(Dimension.of(dimension.getDimValue()));
                }
            } else if (dimension.hasDimParam() && !dimension.getDimParam().isEmpty()) {
                shape.add(Dimension.of(dimension.getDimParam()));
            } else {
                shape.add(Dimension.UNKNOWN);
            }
        }
        return shape;
    }

    private ModelException invalid(String element, String problem) {
        return new ModelException(ErrorCode.MODEL_INVALID, source, element, problem);
    }
}
