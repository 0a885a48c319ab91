package io.kindling.engine.cpu;

import io.kindling.engine.ir.Node;
import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.KernelContext;
import io.kindling.engine.provider.KernelRequest;
import io.kindling.engine.provider.Tensor;
import java.util.Arrays;

/**
 * Encoders without padding ({@code com.microsoft}, since 1): {@code RemovePadding} lays the tokens of all sequences end to end,
 * {@code PackedMultiHeadAttention} lets each see its own sequence, {@code RestorePadding} undoes it.
 */
final class PackedSequences {
    private PackedSequences() {}

    static void register(CpuKernels.Registrar registrar, KernelPool pool) {
        registrar.register("com.microsoft", "PackedMultiHeadAttention", 1, request -> multiHead(request, pool));
        registrar.register("com.microsoft", "RemovePadding", 1, request -> PackedSequences::remove);
        registrar.register("com.microsoft", "RestorePadding", 1, request -> PackedSequences::restore);
    }

    private static Kernel multiHead(KernelRequest request, KernelPool pool) {
        Node node = request.node();
        int heads = (int) node.intAttribute("num_heads", 1);
        float scale = node.floatAttribute("scale", 0);
        return context -> {
            Tensor q = context.input(0);
            HeadView query;
            HeadView key;
            HeadView value;
            if (q.rank() == 4) {
                int size = (int) q.dim(3);
                int row = heads * 3 * size;
                query = new HeadView(q, 0, 0, 3 * size, row, size);
                key = new HeadView(q, size, 0, 3 * size, row, size);
                value = new HeadView(q, 2 * size, 0, 3 * size, row, size);
            } else {
                query = rows(q, heads);
                key = rows(context.input(1), heads);
                value = rows(context.input(2), heads);
            }
            Tensor y = context.output(0, q.type(), q.dim(0), (long) heads * value.size());
            Tensor bias = context.hasInput(3) ? context.input(3) : null;
            run(context, pool, 5, 6, heads, scale, query, key, value, rows(y, heads), bias);
        };
    }

    /** {@code [tokens, heads · size]}. */
    private static HeadView rows(Tensor tensor, int heads) {
        int width = (int) tensor.dim(1);
        return new HeadView(tensor, 0, 0, width / heads, width, width / heads);
    }

    /**
     * Attention within each sequence; the views are those of all tokens.
     *
     * @param offsetsInput where the sequences begin, {@code [batch + 1]}
     * @param biasInput added to the scores, {@code [batch or 1, heads or 1, longest, longest]}; may be absent
     * @param projectionBias of queries, keys and values, or null
     */
    static void run(
            KernelContext context,
            KernelPool pool,
            int offsetsInput,
            int biasInput,
            int heads,
            float scale,
            HeadView query,
            HeadView key,
            HeadView value,
            HeadView output,
            Tensor projectionBias) {
        long[] offsets = TensorIo.longs(context.input(offsetsInput));
        float[] biases = projectionBias == null ? null : TensorIo.floats(projectionBias);
        int width = heads * query.size();
        for (int b = 0; b + 1 < offsets.length; b++) {
            int start = (int) offsets[b];
            int sequence = b;
            MaskedAttention attention = new MaskedAttention();
            attention.batch = 1;
            attention.heads = heads;
            attention.kvHeads = heads;
            attention.queries = (int) offsets[b + 1] - start;
            attention.fresh = attention.queries;
            attention.scale = scale == 0 ? (float) (1 / Math.sqrt(query.size())) : scale;
            attention.query = from(query, start);
            attention.key = from(key, start);
            attention.value = from(value, start);
            attention.output = from(output, start);
            if (biases != null) {
                attention.queryBias = Arrays.copyOfRange(biases, 0, width);
                attention.keyBias = Arrays.copyOfRange(biases, width, 2 * width);
                attention.valueBias = Arrays.copyOfRange(biases, 2 * width, biases.length);
            }
            if (context.hasInput(biasInput)) {
                MaskedAttention.Bias added = AttentionKernel.bias(context.input(biasInput), attention.fresh);
                attention.bias = (none, h, s, row) -> added.addTo(sequence, h, s, row);
            }
            attention.run(pool);
        }
    }

    private static HeadView from(HeadView view, int row) {
        return new HeadView(
                view.tensor(),
                view.offset() + row * view.rowStride(),
                view.batchStride(),
                view.headStride(),
                view.rowStride(),
                view.size());
    }

    /** Offsets of tokens come first, then those of the padding, each in order. */
    private static void remove(KernelContext context) {
        Tensor x = context.input(0);
        long[] counts = TensorIo.longs(context.input(1));
        int batch = (int) x.dim(0);
        int length = (int) x.dim(1);
        int size = (int) x.dim(2);
        int total = (int) Arrays.stream(counts).sum();
        Tensor y = context.output(0, x.type(), total, size);
        int[] offsets = new int[batch * length];
        int[] starts = new int[batch + 1];
        int token = 0;
        int padding = total;
        for (int b = 0; b < batch; b++) {
            for (int s = 0; s < length; s++) {
                if (s < counts[b]) {
                    TensorIo.copy(x, (b * length + s) * size, y, token * size, size);
                    offsets[token++] = b * length + s;
                } else {
                    offsets[padding++] = b * length + s;
                }
            }
            starts[b + 1] = token;
        }
        context.output(1, context.input(1).type(), batch, length).ints().put(0, offsets);
        context.output(2, context.input(1).type(), batch + 1).ints().put(0, starts);
        int longest = (int) Arrays.stream(counts).max().orElse(0);
        context.output(3, context.input(1).type(), 1).ints().put(0, longest);
    }

    private static void restore(KernelContext context) {
        Tensor x = context.input(0);
        Tensor offsets = context.input(1);
        int size = (int) x.dim(1);
        Tensor y = context.output(0, x.type(), offsets.dim(0), offsets.dim(1), size);
        for (int k = 0; k < y.elementCount(); k++) {
            TensorIo.putDouble(y, k, 0);
        }
        for (int token = 0; token < x.dim(0); token++) {
            TensorIo.copy(x, token * size, y, (int) TensorIo.getLong(offsets, token) * size, size);
        }
    }
}
