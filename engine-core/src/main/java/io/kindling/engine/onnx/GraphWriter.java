package io.kindling.engine.onnx;

import com.google.protobuf.ByteString;
import io.kindling.engine.ir.Attribute;
import io.kindling.engine.ir.Dimension;
import io.kindling.engine.ir.Graph;
import io.kindling.engine.ir.Node;
import io.kindling.engine.ir.TensorData;
import io.kindling.engine.ir.ValueInfo;
import io.kindling.engine.ir.ValueType;
import io.kindling.engine.onnx.proto.AttributeProto;
import io.kindling.engine.onnx.proto.AttributeProto.AttributeType;
import io.kindling.engine.onnx.proto.GraphProto;
import io.kindling.engine.onnx.proto.NodeProto;
import io.kindling.engine.onnx.proto.TensorShapeProto;
import io.kindling.engine.onnx.proto.TypeProto;
import io.kindling.engine.onnx.proto.ValueInfoProto;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Graphs, nodes, attributes and types to messages. */
final class GraphWriter {
    private final TensorWriter tensors;

    GraphWriter(TensorWriter tensors) {
        this.tensors = tensors;
    }

    GraphProto graph(Graph graph) throws IOException {
        GraphProto.Builder proto = GraphProto.newBuilder().setName(graph.name()).addAllNode(nodes(graph.nodes()));
        for (Map.Entry<String, TensorData> entry : graph.initializers().entrySet()) {
            proto.addInitializer(tensors.write(entry.getKey(), entry.getValue(), false));
        }
        graph.inputs().forEach(input -> proto.addInput(valueInfo(input)));
        graph.outputs().forEach(output -> proto.addOutput(valueInfo(output)));
        new TreeMap<>(graph.valueTypes())
                .forEach((name, type) -> proto.addValueInfo(valueInfo(new ValueInfo(name, type))));
        return proto.build();
    }

    List<NodeProto> nodes(List<Node> nodes) throws IOException {
        List<NodeProto> protos = new ArrayList<>(nodes.size());
        for (Node node : nodes) {
            protos.add(NodeProto.newBuilder()
                    .setName(node.name())
                    .setDomain(node.domain())
                    .setOpType(node.opType())
                    .addAllInput(node.inputs())
                    .addAllOutput(node.outputs())
                    .addAllAttribute(attributes(node.attributes()))
                    .build());
        }
        return protos;
    }

    List<AttributeProto> attributes(Map<String, Attribute> attributes) throws IOException {
        List<AttributeProto> protos = new ArrayList<>(attributes.size());
        for (Map.Entry<String, Attribute> entry : new TreeMap<>(attributes).entrySet()) {
            protos.add(attribute(entry.getKey(), entry.getValue()));
        }
        return protos;
    }

    private AttributeProto attribute(String name, Attribute attribute) throws IOException {
        AttributeProto.Builder proto = AttributeProto.newBuilder().setName(name);
        if (attribute instanceof Attribute.IntValue value) {
            proto.setType(AttributeType.INT).setI(value.value());
        } else if (attribute instanceof Attribute.FloatValue value) {
            proto.setType(AttributeType.FLOAT).setF(value.value());
        } else if (attribute instanceof Attribute.StringValue value) {
            proto.setType(AttributeType.STRING).setS(ByteString.copyFrom(value.bytes()));
        } else if (attribute instanceof Attribute.TensorValue value) {
            proto.setType(AttributeType.TENSOR).setT(tensors.write("", value.tensor(), true));
        } else if (attribute instanceof Attribute.GraphValue value) {
            proto.setType(AttributeType.GRAPH).setG(graph(value.graph()));
        } else if (attribute instanceof Attribute.TypeValue value) {
            proto.setType(AttributeType.TYPE_PROTO).setTp(type(value.type()));
        } else if (attribute instanceof Attribute.IntsValue values) {
            proto.setType(AttributeType.INTS);
            for (long value : values.values()) {
                proto.addInts(value);
            }
        } else if (attribute instanceof Attribute.FloatsValue values) {
            proto.setType(AttributeType.FLOATS);
            for (float value : values.values()) {
                proto.addFloats(value);
            }
        } else if (attribute instanceof Attribute.StringsValue values) {
            proto.setType(AttributeType.STRINGS);
            values.values().forEach(value -> proto.addStrings(ByteString.copyFrom(value.bytes())));
        } else if (attribute instanceof Attribute.TensorsValue values) {
            proto.setType(AttributeType.TENSORS);
            for (TensorData value : values.tensors()) {
                proto.addTensors(tensors.write("", value, true));
            }
        } else if (attribute instanceof Attribute.GraphsValue values) {
            proto.setType(AttributeType.GRAPHS);
            for (Graph value : values.graphs()) {
                proto.addGraphs(graph(value));
            }
        } else if (attribute instanceof Attribute.Reference reference) {
            proto.setRefAttrName(reference.name());
        }
        return proto.build();
    }

    private static ValueInfoProto valueInfo(ValueInfo info) {
        return ValueInfoProto.newBuilder()
                .setName(info.name())
                .setType(type(info.type()))
                .build();
    }

    private static TypeProto type(ValueType type) {
        TypeProto.Builder proto = TypeProto.newBuilder();
        if (type instanceof ValueType.TensorType tensor) {
            TypeProto.Tensor.Builder message = TypeProto.Tensor.newBuilder();
            tensor.elementType().ifPresent(element -> message.setElemType(element.code()));
            tensor.shape().ifPresent(shape -> message.setShape(shape(shape)));
            proto.setTensorType(message);
        } else if (type instanceof ValueType.SequenceType sequence) {
            proto.setSequenceType(TypeProto.Sequence.newBuilder().setElemType(type(sequence.elementType())));
        } else if (type instanceof ValueType.OptionalType optional) {
            proto.setOptionalType(TypeProto.Optional.newBuilder().setElemType(type(optional.elementType())));
        } else if (type instanceof ValueType.MapType map) {
            proto.setMapType(
                    TypeProto.Map.newBuilder().setKeyType(map.keyType().code()).setValueType(type(map.valueType())));
        }
        return proto.build();
    }

    private static TensorShapeProto shape(List<Dimension> shape) {
        TensorShapeProto.Builder proto = TensorShapeProto.newBuilder();
        for (Dimension dimension : shape) {
            TensorShapeProto.Dimension.Builder message = TensorShapeProto.Dimension.newBuilder();
            if (dimension instanceof Dimension.Known known) {
                message.setDimValue(known.size());
            } else if (dimension instanceof Dimension.Symbol symbol) {
                message.setDimParam(symbol.name());
            }
            proto.addDim(message);
        }
        return proto.build();
    }
}
