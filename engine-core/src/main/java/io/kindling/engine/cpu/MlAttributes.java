package io.kindling.engine.cpu;

import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.OperatorException;
import io.kindling.engine.ir.Attribute;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Node;
import io.kindling.engine.provider.Tensor;

/** Attributes of {@code ai.onnx.ml} operators, which hold whole models. Absent lists are empty. */
record MlAttributes(Node node) {
    /** A list of floats, or the tensor of the same name with {@code _as_tensor} behind it, whose elements may be double. */
    double[] numbers(String name) {
        if (node.attribute(name).orElse(null) instanceof Attribute.FloatsValue floats) {
            double[] result = new double[floats.values().length];
            for (int k = 0; k < result.length; k++) {
                result[k] = floats.values()[k];
            }
            return result;
        }
        return tensorNumbers(name + "_as_tensor");
    }

    double[] tensorNumbers(String name) {
        if (!(node.attribute(name).orElse(null) instanceof Attribute.TensorValue value)) {
            return new double[0];
        }
        Tensor tensor = ShapeKernels.host(node, value.tensor());
        double[] result = new double[TensorIo.count(tensor)];
        TensorIo.load(tensor, 0, result, 0, result.length);
        return result;
    }

    long[] integers(String name) {
        return node.intsAttribute(name).orElse(new long[0]);
    }

    String[] strings(String name) {
        return node.attribute(name).orElse(null) instanceof Attribute.StringsValue texts
                ? texts.values().stream().map(Attribute.StringValue::text).toArray(String[]::new)
                : new String[0];
    }

    /** Whether an attribute is a tensor of doubles. */
    boolean doubles(String name) {
        return node.attribute(name).orElse(null) instanceof Attribute.TensorValue value
                && value.tensor().type() == DataType.DOUBLE;
    }

    /** The tensor of an attribute, or null. */
    Tensor tensor(String name) {
        return node.attribute(name).orElse(null) instanceof Attribute.TensorValue value
                ? ShapeKernels.host(node, value.tensor())
                : null;
    }

    OperatorException invalid(String problem) {
        return new OperatorException(ErrorCode.MODEL_INVALID, node.operator(), node.name(), problem);
    }
}
