package io.kindling.engine.cpu;

import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.OperatorException;
import io.kindling.engine.ir.Node;
import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.KernelContext;
import io.kindling.engine.provider.KernelRequest;
import io.kindling.engine.provider.Tensor;
import java.util.Arrays;

/**
 * {@code com.microsoft::MultiHeadAttention} and {@code com.microsoft::Attention} (since 1). A masked position gets
 * {@code mask_filter_value} added to its score; what causality hides is left out altogether.
 */
final class MultiHeadAttentionKernel {
    private MultiHeadAttentionKernel() {}

    static void register(CpuKernels.Registrar registrar, KernelPool pool) {
        registrar.register("com.microsoft", "MultiHeadAttention", 1, request -> multiHead(request, pool));
        registrar.register("com.microsoft", "Attention", 1, request -> projected(request, pool));
    }

    private static Kernel multiHead(KernelRequest request, KernelPool pool) {
        Node node = request.node();
        int heads = (int) node.intAttribute("num_heads", 1);
        float scale = node.floatAttribute("scale", 0);
        float filter = node.floatAttribute("mask_filter_value", -10000);
        boolean causal = node.intAttribute("unidirectional", 0) != 0;
        return context -> {
            MaskedAttention attention = new MaskedAttention();
            Tensor q = context.input(0);
            attention.batch = (int) q.dim(0);
            attention.queries = (int) q.dim(1);
            attention.heads = heads;
            attention.kvHeads = heads;
            operands(attention, context, heads);
            if (context.hasInput(3)) {
                float[] bias = TensorIo.floats(context.input(3));
                int width = heads * attention.query.size();
                attention.queryBias = Arrays.copyOfRange(bias, 0, width);
                attention.keyBias = Arrays.copyOfRange(bias, width, 2 * width);
                attention.valueBias = Arrays.copyOfRange(bias, 2 * width, bias.length);
            }
            if (context.hasInput(6)) {
                attention.pastKey = HeadView.headsFirst(context.input(6));
                attention.pastValue = HeadView.headsFirst(context.input(7));
                attention.past = context.hasInput(8)
                        ? (int) TensorIo.getLong(context.input(8), 0)
                        : (int) context.input(6).dim(2);
            }
            int total = attention.past + attention.fresh;
            attention.scale = scale == 0 ? (float) (1 / Math.sqrt(attention.query.size())) : scale;
            long valueSize = attention.value.size();
            attention.output =
                    HeadView.packed(context.output(0, q.type(), q.dim(0), q.dim(1), heads * valueSize), heads);
            // With a shared buffer of maximal length the present is as long as the past.
            long rows = context.hasInput(8) ? context.input(6).dim(2) : total;
            if (context.hasOutput(1)) {
                attention.presentKey =
                        HeadView.headsFirst(context.output(1, q.type(), q.dim(0), heads, rows, attention.query.size()));
            }
            if (context.hasOutput(2)) {
                attention.presentValue =
                        HeadView.headsFirst(context.output(2, q.type(), q.dim(0), heads, rows, valueSize));
            }
            if (context.hasOutput(3)) {
                attention.scores = context.output(3, q.type(), q.dim(0), heads, attention.queries, total);
                attention.scoresMode = MaskedAttention.BIASED;
            }
            mask(attention, context, 4, 5, filter, causal);
            attention.run(pool);
        };
    }

    private static void operands(MaskedAttention attention, KernelContext context, int heads) {
        Tensor q = context.input(0);
        Tensor k = context.hasInput(1) ? context.input(1) : null;
        if (k == null) {
            attention.query = interleaved(q, 3, 0);
            attention.key = interleaved(q, 3, 1);
            attention.value = interleaved(q, 3, 2);
            attention.fresh = (int) q.dim(1);
            return;
        }
        attention.query = HeadView.packed(q, heads);
        if (k.rank() == 5) {
            attention.key = interleaved(k, 2, 0);
            attention.value = interleaved(k, 2, 1);
            attention.fresh = (int) k.dim(1);
        } else {
            attention.key = HeadView.of(k, heads);
            attention.value = HeadView.of(context.input(2), heads);
            attention.fresh = (int) k.dim(-2);
        }
    }

    /** One of the operands of {@code [batch, rows, heads, operands, size]}. */
    private static HeadView interleaved(Tensor tensor, int operands, int which) {
        int size = (int) tensor.dim(4);
        int row = (int) tensor.dim(2) * operands * size;
        return new HeadView(tensor, which * size, (int) tensor.dim(1) * row, operands * size, row, size);
    }

    /** Padding masks of every shape the schema lists, the additive bias, and causality. */
    private static void mask(
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

    private static Kernel projected(KernelRequest request, KernelPool pool) {
        Node node = request.node();
        int heads = (int) node.intAttribute("num_heads", 1);
        float scale = node.floatAttribute("scale", 0);
        float filter = node.floatAttribute("mask_filter_value", -10000);
        boolean causal = node.intAttribute("unidirectional", 0) != 0;
        long[] sizes = node.intsAttribute("qkv_hidden_sizes").orElse(null);
        if (node.intAttribute("do_rotary", 0) != 0 || node.intAttribute("past_present_share_buffer", 0) != 0) {
            throw new OperatorException(
                    ErrorCode.UNSUPPORTED,
                    node.operator(),
                    node.name(),
                    "do_rotary and past_present_share_buffer are not supported; export GroupQueryAttention instead");
        }
        return context -> {
            Tensor x = context.input(0);
            Tensor weights = context.input(1);
            int width = (int) weights.dim(1);
            int queryWidth = sizes == null ? width / 3 : (int) sizes[0];
            int valueWidth = sizes == null ? width / 3 : (int) sizes[2];
            Tensor projection = project(context, pool, x, weights, width);
            MaskedAttention attention = new MaskedAttention();
            attention.batch = (int) x.dim(0);
            attention.queries = (int) x.dim(1);
            attention.fresh = attention.queries;
            attention.heads = heads;
            attention.kvHeads = heads;
            int batchStride = attention.queries * width;
            int size = queryWidth / heads;
            int valueSize = valueWidth / heads;
            attention.query = new HeadView(projection, 0, batchStride, size, width, size);
            attention.key = new HeadView(projection, queryWidth, batchStride, size, width, size);
            attention.value = new HeadView(projection, 2 * queryWidth, batchStride, valueSize, width, valueSize);
            attention.scale = scale == 0 ? (float) (1 / Math.sqrt(size)) : scale;
            stackedState(attention, context, 4, 1, size);
            attention.output = HeadView.packed(context.output(0, x.type(), x.dim(0), x.dim(1), valueWidth), heads);
            mask(attention, context, 3, 5, filter, causal);
            attention.run(pool);
        };
    }

    /** Past and present as {@code [2, batch, heads, rows, size]}: keys, then values. */
    private static void stackedState(
            MaskedAttention attention, KernelContext context, int pastInput, int presentOutput, int size) {
        if (context.hasInput(pastInput)) {
            Tensor past = context.input(pastInput);
            attention.past = (int) past.dim(3);
            attention.pastKey = stacked(past, 0);
            attention.pastValue = stacked(past, 1);
        }
        if (context.hasOutput(presentOutput)) {
            int total = attention.past + attention.fresh;
            Tensor present = context.output(
                    presentOutput, context.input(0).type(), 2, attention.batch, attention.heads, total, size);
            attention.presentKey = stacked(present, 0);
            attention.presentValue = stacked(present, 1);
        }
    }

    private static HeadView stacked(Tensor tensor, int which) {
        int size = (int) tensor.dim(4);
        int head = (int) tensor.dim(3) * size;
        int batch = (int) tensor.dim(2) * head;
        return new HeadView(tensor, which * (int) tensor.dim(1) * batch, batch, head, size, size);
    }

    private static Tensor project(KernelContext context, KernelPool pool, Tensor x, Tensor weights, int width) {
        int rows = (int) (x.dim(0) * x.dim(1));
        int inner = (int) x.dim(2);
        Tensor projection = Tensor.of(
                x.type(), new long[] {rows, width}, context.scratch(0, x.type().byteSize((long) rows * width)));
        MatMulCore.Matrix a = new MatMulCore.Matrix(x, 0, inner, 1);
        MatMulCore.Matrix b = new MatMulCore.Matrix(weights, 0, width, 1);
        pool.run(MatMulCore.parts(width), part -> MatMulCore.part(a, b, rows, inner, width, 1, projection, 0, part));
        if (context.hasInput(2)) {
            Elementwise.binary(BinaryKernels.ADD, projection, context.input(2), projection);
        }
        return projection;
    }
}
