package io.kindling.engine.cpu;

import io.kindling.engine.provider.KernelContext;
import io.kindling.engine.provider.Tensor;

/**
 * The masks of the {@code com.microsoft} attention operators: a masked position gets {@code mask_filter_value} added to its score; what
 * causality hides is left out altogether.
 */
final class AttentionMasks {
    private AttentionMasks() {}

    /** Padding masks of every shape the schema lists, the additive bias, and causality. */
    static void set(
            MaskedAttention attention,
            KernelContext context,
            int maskInput,
            int biasInput,
            float filter,
            boolean causal) {
        int total = attention.past + attention.fresh;
        int batch = attention.batch;
        int queries = attention.queries;
        Tensor mask = context.hasInput(maskInput) ? context.input(maskInput) : null;
        MaskedAttention.Bias added =
                context.hasInput(biasInput) ? AttentionKernel.bias(context.input(biasInput), total) : null;
        MaskedAttention.Bias padding = mask == null ? null : padding(mask, batch, queries, total, filter);
        attention.bias = (b, h, s, row) -> {
            boolean any = added != null && added.addTo(b, h, s, row);
            return padding != null && padding.addTo(b, h, s, row) || any;
        };
        if (causal) {
            int past = attention.past;
            attention.end = (b, s) -> past + s + 1;
        }
    }

    private static MaskedAttention.Bias padding(Tensor mask, int batch, int queries, int total, float filter) {
        boolean ends = mask.rank() == 1;
        boolean starts = ends && mask.elementCount() == 2L * batch;
        int past = total;
        return (b, h, s, row) -> {
            for (int p = 0; p < past; p++) {
                boolean keep;
                if (ends) {
                    keep = p < TensorIo.getLong(mask, b) && (!starts || p >= TensorIo.getLong(mask, batch + b));
                } else if (mask.rank() == 2) {
                    int columns = (int) mask.dim(1);
                    keep = p >= columns || TensorIo.getLong(mask, b * columns + p) != 0;
                } else if (mask.rank() == 3) {
                    keep = TensorIo.getLong(mask, (b * queries + s) * (int) mask.dim(2) + p) != 0;
                } else {
                    int size = (int) mask.dim(3);
                    keep = TensorIo.getLong(mask, (b * size + total - queries + s) * size + p) != 0;
                }
                row[p] += keep ? 0 : filter;
            }
            return true;
        };
    }
}
