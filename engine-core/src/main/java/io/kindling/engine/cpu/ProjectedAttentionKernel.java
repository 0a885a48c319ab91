package io.kindling.engine.cpu;

import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Node;
import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.KernelContext;
import io.kindling.engine.provider.KernelRequest;
import io.kindling.engine.provider.Tensor;

/**
 * Attention operators of {@code com.microsoft} that project their input to queries, keys and values first: {@code Attention},
 * {@code QAttention} and {@code PackedAttention} (since 1).
 */
final class ProjectedAttentionKernel {
    private final int heads;
    private final float scale;
    private final float filter;
    private final boolean causal;
    private final long[] sizes;
    private final KernelPool pool;

    private ProjectedAttentionKernel(Node node, KernelPool pool) {
        this.pool = pool;
        heads = (int) node.intAttribute("num_heads", 1);
        scale = node.floatAttribute("scale", 0);
        filter = node.floatAttribute("mask_filter_value", -10000);
        causal = node.intAttribute("unidirectional", 0) != 0;
        sizes = node.intsAttribute("qkv_hidden_sizes").orElse(null);
        if (node.intAttribute("do_rotary", 0) != 0 || node.intAttribute("past_present_share_buffer", 0) != 0) {
            throw Unsupported.of(
                    node,
                    "do_rotary and past_present_share_buffer are not supported; export GroupQueryAttention instead");
        }
    }

    static void register(CpuKernels.Registrar registrar, KernelPool pool) {
        registrar.register("com.microsoft", "Attention", 1, request -> plain(request, pool));
        registrar.register("com.microsoft", "QAttention", 1, request -> quantised(request, pool));
        registrar.register("com.microsoft", "PackedAttention", 1, request -> packed(request, pool));
    }

    private static Kernel plain(KernelRequest request, KernelPool pool) {
        ProjectedAttentionKernel kernel = new ProjectedAttentionKernel(request.node(), pool);
        return context -> {
            Tensor projection = kernel.project(context);
            MaskedAttention attention = kernel.attention(projection, context.input(0));
            kernel.state(attention, context, 4);
            kernel.output(attention, context, context.input(0));
            AttentionMasks.set(attention, context, 3, 5, kernel.filter, kernel.causal);
            attention.run(pool);
        };
    }

    private static Kernel quantised(KernelRequest request, KernelPool pool) {
        ProjectedAttentionKernel kernel = new ProjectedAttentionKernel(request.node(), pool);
        return context -> {
            Tensor x = context.input(0);
            Tensor bias = context.input(2);
            IntegerProduct product = new IntegerProduct(x, context.input(1));
            Tensor projection = Tensor.of(
                    bias.type(), product.shape, context.scratch(0, bias.type().byteSize(Tensor.count(product.shape))));
            product.scaled(
                    pool,
                    context.hasInput(6) ? context.input(6) : null,
                    TensorIo.getFloat(context.input(3), 0),
                    context.hasInput(7) ? context.input(7) : null,
                    context.input(4),
                    bias,
                    projection);
            MaskedAttention attention = kernel.attention(projection, x);
            kernel.state(attention, context, 8);
            kernel.output(attention, context, x);
            AttentionMasks.set(attention, context, 5, Integer.MAX_VALUE, kernel.filter, kernel.causal);
            attention.run(pool);
        };
    }

    private static Kernel packed(KernelRequest request, KernelPool pool) {
        ProjectedAttentionKernel kernel = new ProjectedAttentionKernel(request.node(), pool);
        return context -> {
            Tensor projection = kernel.project(context);
            int width = (int) projection.dim(-1);
            int queryWidth = kernel.queryWidth(width);
            int valueWidth = kernel.valueWidth(width);
            Tensor y = context.output(0, projection.type(), projection.dim(0), valueWidth);
            int size = queryWidth / kernel.heads;
            int valueSize = valueWidth / kernel.heads;
            PackedSequences.run(
                    context,
                    pool,
                    4,
                    5,
                    kernel.heads,
                    kernel.scale,
                    new HeadView(projection, 0, 0, size, width, size),
                    new HeadView(projection, queryWidth, 0, size, width, size),
                    new HeadView(projection, 2 * queryWidth, 0, valueSize, width, valueSize),
                    new HeadView(y, 0, 0, valueSize, valueWidth, valueSize),
                    null);
        };
    }

    private int queryWidth(int width) {
        return sizes == null ? width / 3 : (int) sizes[0];
    }

    private int valueWidth(int width) {
        return sizes == null ? width / 3 : (int) sizes[2];
    }

    /** {@code x · weights + bias}, {@code [rows, width]}. */
    private Tensor project(KernelContext context) {
        Tensor x = context.input(0);
        Tensor weights = context.input(1);
        int width = (int) weights.dim(1);
        int inner = (int) x.dim(-1);
        int rows = TensorIo.count(x) / Math.max(1, inner);
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

    private MaskedAttention attention(Tensor projection, Tensor x) {
        MaskedAttention attention = new MaskedAttention();
        int width = (int) projection.dim(-1);
        int queryWidth = queryWidth(width);
        attention.batch = (int) x.dim(0);
        attention.queries = (int) x.dim(1);
        attention.fresh = attention.queries;
        attention.heads = heads;
        attention.kvHeads = heads;
        int batchStride = attention.queries * width;
        int size = queryWidth / heads;
        int valueSize = valueWidth(width) / heads;
        attention.query = new HeadView(projection, 0, batchStride, size, width, size);
        attention.key = new HeadView(projection, queryWidth, batchStride, size, width, size);
        attention.value = new HeadView(projection, 2 * queryWidth, batchStride, valueSize, width, valueSize);
        attention.scale = scale == 0 ? (float) (1 / Math.sqrt(size)) : scale;
        return attention;
    }

    private void output(MaskedAttention attention, KernelContext context, Tensor x) {
        DataType type = attention.query.tensor().type();
        long width = (long) heads * attention.value.size();
        attention.output = HeadView.packed(context.output(0, type, x.dim(0), x.dim(1), width), heads);
    }

    /** Past and present as {@code [2, batch, heads, rows, size]}: keys, then values. */
    private void state(MaskedAttention attention, KernelContext context, int pastInput) {
        if (context.hasInput(pastInput)) {
            Tensor past = context.input(pastInput);
            attention.past = (int) past.dim(3);
            attention.pastKey = stacked(past, 0);
            attention.pastValue = stacked(past, 1);
        }
        if (context.hasOutput(1)) {
            DataType type = attention.query.tensor().type();
            int total = attention.past + attention.fresh;
            Tensor present =
                    context.output(1, type, 2, attention.batch, attention.heads, total, attention.query.size());
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
}
