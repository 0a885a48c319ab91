package io.kindling.engine.cpu;

import io.kindling.engine.ir.Node;
import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.Tensor;

/** {@code com.microsoft::RelativePositionBias} (T5) and {@code GatedRelativePositionBias} (WavLM). */
final class PositionBiasKernels {
    private PositionBiasKernels() {}

    static void register(CpuKernels.Registrar registrar) {
        registrar.register("com.microsoft", "RelativePositionBias", 1, request -> relative(request.node()));
        registrar.register("com.microsoft", "GatedRelativePositionBias", 1, request -> gated(request.node()));
    }

    /** The table's shape is {@code [buckets, heads]}, its memory that of {@code [heads, buckets]}. */
    private static Kernel relative(Node node) {
        boolean bidirectional = node.intAttribute("is_bidirectional", 0) != 0;
        int maxDistance = (int) node.intAttribute("max_distance", 128);
        return context -> {
            Tensor table = context.input(0);
            int buckets = (int) table.dim(0);
            int heads = (int) table.dim(1);
            int queries = (int) TensorIo.getLong(context.input(1), 0);
            int keys = (int) TensorIo.getLong(context.input(2), 0);
            Tensor y = context.output(0, table.type(), 1, heads, queries, keys);
            for (int k = 0; k < y.elementCount(); k++) {
                int distance = k % keys - k / keys % queries;
                int head = k / keys / queries;
                int bucket = bucket(distance, bidirectional, buckets, maxDistance);
                TensorIo.copy(table, head * buckets + bucket, y, k, 1);
            }
        };
    }

    /** Half the buckets are for exact distances, the others grow with the logarithm up to {@code maxDistance} (T5, section 2.1). */
    private static int bucket(int distance, boolean bidirectional, int buckets, int maxDistance) {
        int available = bidirectional ? buckets / 2 : buckets;
        int first = bidirectional && distance > 0 ? available : 0;
        int behind = bidirectional ? Math.abs(distance) : Math.max(-distance, 0);
        int exact = available / 2;
        if (behind < exact) {
            return first + behind;
        }
        double share = Math.log((float) behind / exact) / Math.log((float) maxDistance / exact);
        return first + Math.min(available - 1, exact + (int) (share * (available - exact)));
    }

    private static Kernel gated(Node node) {
        int heads = (int) node.intAttribute("num_heads", 1);
        if (node.inputs().size() > 6 && !node.inputs().get(6).isEmpty()) {
            throw Unsupported.of(node, "packed tokens (token_offset) are not supported; restore the padding before");
        }
        return context -> {
            Tensor query = context.input(0);
            Tensor queryBias = context.input(1);
            Tensor bias = context.input(2);
            Tensor weight = context.input(3);
            int batch = (int) query.dim(0);
            int length = (int) query.dim(1);
            int size = (int) query.dim(2) / heads;
            int width = (int) weight.dim(1);
            Tensor y = context.output(0, query.type(), batch, heads, length, length);
            for (int line = 0; line < batch * heads * length; line++) {
                int s = line % length;
                int h = line / length % heads;
                int at = ((line / length / heads) * length + s) * heads * size + h * size;
                double[] halves = new double[2];
                for (int j = 0; j < width; j++) {
                    double sum = TensorIo.getDouble(context.input(4), j);
                    for (int d = 0; d < size; d++) {
                        double value = TensorIo.getDouble(query, at + d) + TensorIo.getDouble(queryBias, h * size + d);
                        sum += value * TensorIo.getDouble(weight, d * width + j);
                    }
                    halves[j / (width / 2)] += sum;
                }
                double reset = UnaryKernels.sigmoid(halves[1]);
                double gate =
                        UnaryKernels.sigmoid(halves[0]) * (reset * TensorIo.getDouble(context.input(5), h) - 1) + 2;
                for (int k = 0; k < length; k++) {
                    double value = gate * TensorIo.getDouble(bias, (h * length + s) * length + k);
                    TensorIo.putDouble(y, line * length + k, value);
                }
            }
        };
    }
}
