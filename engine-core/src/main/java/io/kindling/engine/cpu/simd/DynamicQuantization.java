package io.kindling.engine.cpu.simd;

import io.kindling.engine.cpu.KernelPool;
import io.kindling.engine.provider.HostBuffer;
import io.kindling.engine.provider.KernelContext;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Floats to uint8 by the range they have, widened to hold 0: {@code scale = (max − min) / 255}, {@code zero = round(−min / scale)}, as
 * ONNX's {@code DynamicQuantizeLinear} has it.
 *
 * @param zero in 0 … 255
 */
record DynamicQuantization(float scale, int zero) {
    /** Below so many elements a job is done by its caller. */
    private static final long SMALL_JOB = 1 << 15;

    /** Elements of which one smallest and one largest are found. */
    private static final int STRETCH = 1 << 13;

    private static final int DIVISOR = QuantizeJob.BYTE_SIZE;
    private static final int ZERO = DIVISOR + Float.BYTES;
    private static final int RANGES = 2 * QuantizeJob.BYTE_SIZE;

    /**
     * @param slot of scratch that is used
     * @param y address of {@code count} bytes
     */
    static DynamicQuantization run(
            KernelSet set, KernelPool pool, KernelContext context, int slot, long x, long count, long y) {
        int stretches = Math.toIntExact((count + STRETCH - 1) / STRETCH);
        HostBuffer scratch = (HostBuffer) context.scratch(slot, RANGES + 2L * Float.BYTES * stretches);
        ByteBuffer bytes = scratch.bytes().order(ByteOrder.nativeOrder());
        long at = NativeMemory.addressOf(scratch);
        KernelPool helpers = count < SMALL_JOB ? null : pool;
        Ranges.run(helpers, stretches, 1, (from, to) -> {
            for (int s = from; s < to; s++) {
                long end = Math.min(count, (s + 1L) * STRETCH);
                Native.range(set.address(), x, at + RANGES + 2L * Float.BYTES * s, (long) s * STRETCH, end);
            }
        });
        DynamicQuantization found = of(bytes, stretches);
        bytes.putFloat(DIVISOR, found.scale == 0 ? 1 : found.scale).put(ZERO, (byte) found.zero);
        QuantizeJob.Lines lines = QuantizeJob.Lines.of(count);
        QuantizeJob.write(bytes, lines, at + DIVISOR, at + ZERO, false);
        Ranges.run(
                helpers,
                Math.toIntExact(lines.lines()),
                1,
                (from, to) -> Native.quantize(set.address(), at, x, y, from, to));
        return found;
    }

    private static DynamicQuantization of(ByteBuffer bytes, int stretches) {
        float min = 0;
        float max = 0;
        for (int s = 0; s < stretches; s++) {
            min = Math.min(min, bytes.getFloat(RANGES + 2 * Float.BYTES * s));
            max = Math.max(max, bytes.getFloat(RANGES + 2 * Float.BYTES * s + Float.BYTES));
        }
        float scale = (max - min) / 255;
        double zero = Math.rint(-min / (scale == 0 ? 1 : scale));
        return new DynamicQuantization(scale, (int) Math.max(0, Math.min(255, zero)));
    }
}
