package io.kindling.engine.shape;

import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Dimension;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Shapes of products, convolutions, attention and quantised gathers. */
final class ProductShapes {
    private ProductShapes() {}

    static Optional<List<Dimension>> of(NodeCall call) {
        return switch (call.node().opType()) {
            case "MatMul", "MatMulInteger", "MatMulIntegerToFloat" -> matMul(call.shape(0), call.shape(1));
            case "MatMulNBits" ->
                call.shape(0)
                        .map(shape -> withLast(shape, Dimensions.of(call.node().intAttribute("N", -1))));
            case "Gemm", "FusedGemm" -> gemm(call);
            case "GroupQueryAttention" -> groupQueryAttention(call);
            case "MultiHeadAttention" -> multiHeadAttention(call);
            case "GatherBlockQuantized" -> gatherBlocks(call);
            case "Conv", "FusedConv" -> WindowShapes.conv(call);
            default -> Optional.empty();
        };
    }

    private static Optional<List<Dimension>> matMul(Optional<List<Dimension>> a, Optional<List<Dimension>> b) {
        if (a.isEmpty() || b.isEmpty() || a.get().size() < 2 || b.get().size() < 2) {
            return Optional.empty();
        }
        int rankA = a.get().size();
        int rankB = b.get().size();
        return Dimensions.broadcast(
                        Optional.of(a.get().subList(0, rankA - 2)),
                        Optional.of(b.get().subList(0, rankB - 2)))
                .map(batch -> {
                    List<Dimension> shape = new ArrayList<>(batch);
                    shape.add(a.get().get(rankA - 2));
                    shape.add(b.get().get(rankB - 1));
                    return shape;
                });
    }

    /** A may have more axes than the operator's schema gives it: products that a pass fused have. */
    private static Optional<List<Dimension>> gemm(NodeCall call) {
        if (call.shape(0).isEmpty() || call.shape(1).isEmpty()) {
            return Optional.empty();
        }
        List<Dimension> a = call.shape(0).get();
        List<Dimension> b = call.shape(1).get();
        boolean transA = call.node().intAttribute("transA", 0) != 0;
        if (a.size() < 2 || b.size() != 2 || transA && a.size() > 2) {
            return Optional.empty();
        }
        Dimension columns = b.get(call.node().intAttribute("transB", 0) != 0 ? 0 : 1);
        return Optional.of(transA ? List.of(a.get(1), columns) : withLast(a, columns));
    }

    /** Packed queries, keys and values come as one input of {@code (heads + 2 * kv_heads) * size}. */
    private static Optional<List<Dimension>> groupQueryAttention(NodeCall call) {
        if (call.has(1)) {
            return call.shape(0);
        }
        long heads = call.node().intAttribute("num_heads", 0);
        long all = heads + 2 * call.node().intAttribute("kv_num_heads", 0);
        return call.shape(0).filter(shape -> !shape.isEmpty() && all > 0).map(shape -> {
            long packed = shape.get(shape.size() - 1).sizeOrMinusOne();
            return withLast(shape, packed < 0 ? Dimension.UNKNOWN : Dimension.of(packed / all * heads));
        });
    }

    /** Where values are as wide as queries: a rank of 5 says that they lie with them, {@code [batch, tokens, heads, 3, size]}. */
    private static Optional<List<Dimension>> multiHeadAttention(NodeCall call) {
        return call.has(2)
                ? call.shape(0).filter(shape -> shape.size() == 3)
                : call.shape(0)
                        .filter(shape -> shape.size() == 5 && !call.has(1))
                        .map(shape ->
                                List.of(shape.get(0), shape.get(1), Dimensions.multiply(shape.get(2), shape.get(4))));
    }

    /** Batch and channels; the places are not followed. */
    private static Optional<List<Dimension>> gatherBlocks(NodeCall call) {
        if (call.shape(0).isEmpty()
                || call.shape(1).isEmpty()
                || call.shape(0).get().size() != 2) {
            return Optional.empty();
        }
        long bits = call.node().intAttribute("bits", 4);
        boolean packed = call.type(0).equals(Optional.of(DataType.UINT8)) && bits > 0 && bits <= 8;
        List<Dimension> shape = new ArrayList<>(call.shape(1).get());
        shape.add(Dimensions.multiply(call.shape(0).get().get(1), Dimension.of(packed ? 8 / bits : 1)));
        return call.node().intAttribute("gather_axis", 0) == 0 ? Optional.of(shape) : Optional.empty();
    }

    private static List<Dimension> withLast(List<Dimension> shape, Dimension last) {
        if (shape.isEmpty()) {
            return shape;
        }
        List<Dimension> changed = new ArrayList<>(shape);
        changed.set(shape.size() - 1, last);
        return changed;
    }
}
