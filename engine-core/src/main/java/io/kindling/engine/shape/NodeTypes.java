package io.kindling.engine.shape;

import io.kindling.engine.ir.Attribute;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Dimension;
import io.kindling.engine.ir.TensorData;
import io.kindling.engine.ir.ValueType;
import io.kindling.engine.ir.ValueType.TensorType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/** Output types of one node by its operator's schema; empty list for operators that are not known here. */
final class NodeTypes {
    private NodeTypes() {}

    static List<ValueType> of(NodeCall call) {
        return switch (call.node().opType()) {
            case "Relu", "Sigmoid", "Tanh", "Erf", "Sqrt", "Neg", "Abs", "Exp", "Log", "Cos", "Sin", "Reciprocal" ->
                like(call, 0);
            case "Softmax", "LogSoftmax", "Gelu", "FastGelu", "BiasGelu", "QuickGelu", "Trilu", "CumSum", "Clip" ->
                like(call, 0);
            case "Floor", "Ceil", "Round", "Sign", "Elu", "LeakyRelu", "HardSigmoid", "Softplus", "Dropout" ->
                like(call, 0);
            case "Mish", "Selu", "Celu", "Softsign", "ThresholdedRelu", "Shrink", "Hardmax", "LRN" -> like(call, 0);
            case "LayerNormalization", "RMSNormalization", "SimplifiedLayerNormalization", "InstanceNormalization" ->
                like(call, 0);
            case "HardSwish", "BatchNormalization", "PRelu" -> like(call, 0);
            case "MaxPool", "AveragePool" -> tensor(call.type(0), WindowShapes.pool(call));
            case "ConvTranspose" -> tensor(call.type(0), WindowShapes.transposed(call));
            case "Resize", "Upsample", "Pad", "DepthToSpace", "SpaceToDepth" ->
                tensor(call.type(0), call.shape(0).map(Dimensions::ofEqualRank));
            case "GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool" ->
                tensor(call.type(0), WindowShapes.global(call));
            case "Identity" -> identity(call);
            case "ScatterND", "ScatterElements", "RotaryEmbedding", "Not" -> like(call, 0);
            case "MoE", "QMoE", "MRotaryEmbedding", "GatedRMSNorm", "GatedAdd", "ScaledSiLU", "GroupNorm", "BiasAdd" ->
                like(call, 0);
            case "QLinearSigmoid", "QLinearLeakyRelu", "QLinearSoftmax", "Imputer", "Binarizer" -> like(call, 0);
            case "QLinearAdd", "QLinearMul" -> tensor(call.type(0), Dimensions.broadcast(call.shape(0), call.shape(3)));
            case "NGramRepeatBlock" -> like(call, 1);
            case "Scaler", "Normalizer" -> tensor(Optional.of(DataType.FLOAT), call.shape(0));
            case "EmbedLayerNormalization" -> tensor(call.type(2), embedded(call));
            case "SkipSimplifiedLayerNormalization", "SkipLayerNormalization" ->
                List.of(
                        like(call, 0).get(0),
                        ValueType.UNKNOWN,
                        ValueType.UNKNOWN,
                        like(call, 0).get(0));
            case "Add", "Sub", "Mul", "Div", "Pow", "Mod", "Max", "Min", "Sum", "Mean", "And", "Or", "Xor" ->
                tensor(call.type(0), broadcast(call, 0));
            case "Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual" ->
                tensor(Optional.of(DataType.BOOL), broadcast(call, 0));
            case "IsNaN", "IsInf" -> tensor(Optional.of(DataType.BOOL), call.shape(0));
            case "Where" -> tensor(call.type(1), broadcast(call, 0));
            case "Cast" -> tensor(DataType.ofCode((int) call.node().intAttribute("to", 0)), call.shape(0));
            case "CastLike" -> tensor(call.type(1), call.shape(0));
            case "Constant" -> constant(call);
            case "ConstantOfShape" -> tensor(fillType(call), call.content(0).map(NodeTypes::sizes));
            case "DequantizeLinear" -> tensor(askedFor(call).or(() -> call.type(1)), call.shape(0));
            case "QuantizeLinear" ->
                tensor(
                        call.has(2) ? call.type(2) : askedFor(call).or(() -> Optional.of(DataType.UINT8)),
                        call.shape(0));
            case "DynamicQuantizeLinear" ->
                List.of(
                        new TensorType(Optional.of(DataType.UINT8), call.shape(0)),
                        TensorType.of(DataType.FLOAT, List.of()),
                        TensorType.of(DataType.UINT8, List.of()));
            case "Shape", "Size", "NonZero", "ArgMax", "ArgMin" ->
                tensor(Optional.of(DataType.INT64), StructureShapes.of(call));
            case "MatMulInteger" -> tensor(Optional.of(DataType.INT32), ProductShapes.of(call));
            case "MatMulIntegerToFloat" -> tensor(call.type(2), ProductShapes.of(call));
            case "MatMul", "Gemm", "FusedGemm", "MatMulNBits", "MultiHeadAttention", "Conv", "FusedConv" ->
                tensor(call.type(0), ProductShapes.of(call));
            case "GroupQueryAttention" -> {
                // The caches grow: their declared types say more than could be inferred.
                yield List.of(
                        new TensorType(call.type(0), ProductShapes.of(call)), ValueType.UNKNOWN, ValueType.UNKNOWN);
            }
            case "GatherBlockQuantized" -> tensor(call.type(2), ProductShapes.of(call));
            case "Split" ->
                Collections.nCopies(
                        call.node().outputs().size(),
                        tensor(call.type(0), StructureShapes.of(call)).get(0));
            default ->
                StructureShapes.knows(call.node().opType())
                        ? tensor(call.type(0), StructureShapes.of(call))
                        : List.of();
        };
    }

    private static List<ValueType> tensor(Optional<DataType> type, Optional<List<Dimension>> shape) {
        return List.of(new TensorType(type, shape));
    }

    private static List<ValueType> like(NodeCall call, int input) {
        return tensor(call.type(input), call.shape(input));
    }

    /** The shape of the ids, then the width of the word table. */
    private static Optional<List<Dimension>> embedded(NodeCall call) {
        return call.shape(0)
                .flatMap(ids -> call.shape(2).filter(table -> table.size() == 2).map(table -> {
                    List<Dimension> shape = new ArrayList<>(ids);
                    shape.add(table.get(1));
                    return shape;
                }));
    }

    private static List<ValueType> identity(NodeCall call) {
        return call.has(0)
                ? List.of(call.types().getOrDefault(call.node().inputs().get(0), ValueType.UNKNOWN))
                : List.of();
    }

    private static Optional<List<Dimension>> broadcast(NodeCall call, int first) {
        Optional<List<Dimension>> shape = call.shape(first);
        for (int i = first + 1; i < call.node().inputs().size(); i++) {
            shape = Dimensions.broadcast(shape, call.shape(i));
        }
        return shape;
    }

    /** Elements of a shape tensor as dimensions. */
    static List<Dimension> sizes(List<Dimension> content) {
        return content.stream()
                .map(size -> size instanceof Dimension.Known known ? Dimensions.of(known.size()) : size)
                .toList();
    }

    private static List<ValueType> constant(NodeCall call) {
        return call.node().attribute("value").stream()
                .filter(Attribute.TensorValue.class::isInstance)
                .map(value -> of(((Attribute.TensorValue) value).tensor()))
                .toList();
    }

    static ValueType of(TensorData tensor) {
        return TensorType.of(
                tensor.type(),
                Arrays.stream(tensor.shape()).mapToObj(Dimension::of).toList());
    }

    /** The type that the attribute {@code output_dtype} names. */
    private static Optional<DataType> askedFor(NodeCall call) {
        return DataType.ofCode((int) call.node().intAttribute("output_dtype", 0));
    }

    private static Optional<DataType> fillType(NodeCall call) {
        return Optional.of(
                call.node().attribute("value").orElse(null) instanceof Attribute.TensorValue value
                        ? value.tensor().type()
                        : DataType.FLOAT);
    }
}
