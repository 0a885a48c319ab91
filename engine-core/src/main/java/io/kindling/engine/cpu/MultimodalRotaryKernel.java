package io.kindling.engine.cpu;

import io.kindling.engine.ir.Node;
import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.KernelContext;
import io.kindling.engine.provider.KernelRequest;
import io.kindling.engine.provider.Tensor;

/**
 * {@code com.microsoft::MRotaryEmbedding} (since 1): rotary embedding whose angles come from three positions of a token (time, height,
 * width), by sections of the angle axis or interleaved.
 */
final class MultimodalRotaryKernel implements Kernel {
    private final int heads;
    private final int dimension;
    private final boolean interleaved;
    private final boolean interleavedSections;
    private final long[] sections;

    private MultimodalRotaryKernel(Node node) {
        heads = (int) node.intAttribute("num_heads", 0);
        dimension = (int) node.intAttribute("rotary_embedding_dim", 0);
        interleaved = node.intAttribute("interleaved", 0) != 0;
        interleavedSections = node.intAttribute("mrope_layout", 0) != 0;
        sections = node.intsAttribute("mrope_section").orElse(new long[0]);
        if (sections.length != 3) {
            throw Unsupported.of(node, "mrope_section must have three numbers");
        }
        if (node.floatAttribute("scale", 1) != 1) {
            throw Unsupported.of(node, "scale must be 1, not " + node.floatAttribute("scale", 1));
        }
    }

    static Kernel create(KernelRequest request) {
        return new MultimodalRotaryKernel(request.node());
    }

    /** Which of the three positions angle {@code i} takes. */
    private int stream(int i) {
        if (interleavedSections) {
            int stream = i % 3;
            return stream != 0 && i < 3 * sections[stream] ? stream : 0;
        }
        return i < sections[0] ? 0 : i < sections[0] + sections[1] ? 1 : 2;
    }

    @Override
    public void execute(KernelContext context) {
        Tensor x = context.input(0);
        Tensor positions = context.input(1);
        Tensor cos = context.input(2);
        Tensor sin = context.input(3);
        int headCount = RotaryKernels.heads(x, heads, dimension, cos);
        HeadView source = HeadView.of(x, headCount);
        HeadView target = HeadView.of(context.output(0, x.type(), x.shape()), headCount);
        int half = (int) cos.dim(-1);
        int batch = (int) x.dim(0);
        int length = (int) x.dim(-2);
        Work work = Work.mine();
        float[] vector = work.floats(0, source.size());
        float[] angles = work.floats(1, 2 * half);
        for (int token = 0; token < batch * length; token++) {
            for (int i = 0; i < half; i++) {
                long position = TensorIo.getLong(positions, stream(i) * batch * length + token);
                if (position < 0 || position >= cos.dim(0)) {
                    throw Shapes.invalid("position " + position + " is outside the rotary table " + cos);
                }
                angles[i] = TensorIo.getFloat(cos, (int) position * half + i);
                angles[half + i] = TensorIo.getFloat(sin, (int) position * half + i);
            }
            for (int h = 0; h < headCount; h++) {
                source.load(token / length, h, token % length, vector, 0);
                AttentionCore.rotate(vector, 0, angles, half, interleaved);
                target.store(vector, 0, token / length, h, token % length);
            }
        }
    }
}
