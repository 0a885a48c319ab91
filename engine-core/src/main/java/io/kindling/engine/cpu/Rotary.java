package io.kindling.engine.cpu;

import io.kindling.engine.provider.Tensor;

/** Rotary embedding from cosine and sine tables {@code [positions, rotary / 2]}. */
final class Rotary {
    /** The float slot of {@link Work} that {@link #apply} takes. */
    static final int ANGLE_SLOT = 6;

    private final Tensor cos;
    private final Tensor sin;
    private final boolean interleaved;
    private final int half;

    Rotary(Tensor cos, Tensor sin, boolean interleaved) {
        this.cos = cos;
        this.sin = sin;
        this.interleaved = interleaved;
        half = (int) cos.dim(-1);
    }

    /** Rotates the head at the start of {@code vector} as the token at {@code position}. */
    void apply(float[] vector, int position) {
        if (position < 0 || position >= cos.dim(0)) {
            throw Shapes.invalid("position " + position + " is outside the rotary table " + cos);
        }
        float[] angles = Work.mine().floats(ANGLE_SLOT, 2 * half);
        TensorIo.load(cos, position * half, angles, 0, half);
        TensorIo.load(sin, position * half, angles, half, half);
        AttentionCore.rotate(vector, 0, angles, half, interleaved);
    }
}
