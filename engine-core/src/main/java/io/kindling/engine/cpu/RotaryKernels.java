package io.kindling.engine.cpu;

import io.kindling.engine.ir.Node;
import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.KernelRequest;
import io.kindling.engine.provider.Tensor;

/**
 * {@code RotaryEmbedding} (since 23) and {@code com.microsoft::RotaryEmbedding}: inputs {@code [batch, sequence, heads · size]} or
 * {@code [batch, heads, sequence, size]}; tables by position, or already gathered as {@code [batch, sequence, half]}.
 */
final class RotaryKernels {
    private RotaryKernels() {}

    static void register(CpuKernels.Registrar registrar) {
        registrar.register("", "RotaryEmbedding", 23, request -> kernel(request, 1, 2, 3));
        registrar.register("com.microsoft", "RotaryEmbedding", 1, request -> kernel(request, 2, 3, 1));
    }

    private static Kernel kernel(KernelRequest request, int cosInput, int sinInput, int positionInput) {
        Node node = request.node();
        boolean interleaved = node.intAttribute("interleaved", 0) != 0;
        int heads = (int) node.intAttribute("num_heads", 0);
        int dimension = (int) node.intAttribute("rotary_embedding_dim", 0);
        return context -> {
            Tensor x = context.input(0);
            Tensor cos = context.input(cosInput);
            Tensor sin = context.input(sinInput);
            Tensor positions = context.hasInput(positionInput) ? context.input(positionInput) : null;
            int headCount = heads(x, heads, dimension, cos);
            HeadView source = HeadView.of(x, headCount);
            HeadView target = HeadView.of(context.output(0, x.type(), x.shape()), headCount);
            rotate(source, target, cos, sin, positions, interleaved, headCount, (int) x.dim(-2));
        };
    }

    static int heads(Tensor x, int heads, int dimension, Tensor cos) {
        if (x.rank() == 4) {
            return (int) x.dim(1);
        }
        if (heads > 0) {
            return heads;
        }
        // Without num_heads the rotation is full, so the tables tell the head size.
        return (int) (x.dim(2) / (dimension > 0 ? dimension : 2 * cos.dim(-1)));
    }

    private static void rotate(
            HeadView source,
            HeadView target,
            Tensor cos,
            Tensor sin,
            Tensor positions,
            boolean interleaved,
            int heads,
            int length) {
        int half = (int) cos.dim(-1);
        int batch = (int) source.tensor().dim(0);
        Work work = Work.mine();
        float[] vector = work.floats(0, source.size());
        float[] angles = work.floats(1, 2 * half);
        for (int b = 0; b < batch; b++) {
            for (int s = 0; s < length; s++) {
                int row = row(positions, b, s, length);
                TensorIo.load(cos, row * half, angles, 0, half);
                TensorIo.load(sin, row * half, angles, half, half);
                for (int h = 0; h < heads; h++) {
                    source.load(b, h, s, vector, 0);
                    AttentionCore.rotate(vector, 0, angles, half, interleaved);
                    target.store(vector, 0, b, h, s);
                }
            }
        }
    }

    /** A single position is that of every sequence's first token. */
    private static int row(Tensor positions, int b, int s, int length) {
        if (positions == null) {
            return b * length + s;
        }
        return positions.elementCount() == 1
                ? (int) TensorIo.getLong(positions, 0) + s
                : (int) TensorIo.getLong(positions, b * length + s);
    }
}
