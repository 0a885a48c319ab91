package io.kindling.engine.ir;

import java.nio.charset.StandardCharsets;
import java.util.List;

/** A node attribute; the variants are ONNX's {@code AttributeProto.AttributeType}. */
public sealed interface Attribute {
    record IntValue(long value) implements Attribute {}

    record FloatValue(float value) implements Attribute {}

    /** Raw bytes: ONNX strings are UTF-8 by convention only. Read-only by contract. */
    record StringValue(byte[] bytes) implements Attribute {
        public String text() {
            return new String(bytes, StandardCharsets.UTF_8);
        }
    }

    record TensorValue(TensorData tensor) implements Attribute {}

    record GraphValue(Graph graph) implements Attribute {}

    record TypeValue(ValueType type) implements Attribute {}

    /** Read-only by contract. */
    record IntsValue(long[] values) implements Attribute {}

    /** Read-only by contract. */
    record FloatsValue(float[] values) implements Attribute {}

    record StringsValue(List<StringValue> values) implements Attribute {
        public StringsValue {
            values = List.copyOf(values);
        }
    }

    record TensorsValue(List<TensorData> tensors) implements Attribute {
        public TensorsValue {
            tensors = List.copyOf(tensors);
        }
    }

    record GraphsValue(List<Graph> graphs) implements Attribute {
        public GraphsValue {
            graphs = List.copyOf(graphs);
        }
    }

    /** Inside a function body: the value of the calling node's attribute of this name. */
    record Reference(String name) implements Attribute {}

    static Attribute of(long value) {
        return new IntValue(value);
    }

    static Attribute of(float value) {
        return new FloatValue(value);
    }

    static Attribute of(String value) {
        return new StringValue(value.getBytes(StandardCharsets.UTF_8));
    }

    static Attribute of(long... values) {
        return new IntsValue(values);
    }
}
