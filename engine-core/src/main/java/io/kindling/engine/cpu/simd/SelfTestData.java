package io.kindling.engine.cpu.simd;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Operands of self-tests, in memory that C can read. */
final class SelfTestData {
    private SelfTestData() {}

    static ByteBuffer bytes(int byteSize) {
        return ByteBuffer.allocateDirect(byteSize).order(ByteOrder.nativeOrder());
    }

    static ByteBuffer floats(int count) {
        return bytes(count * Float.BYTES);
    }

    /** Floats between −1 and 1 without much order. */
    static ByteBuffer pattern(int count, int step) {
        ByteBuffer values = floats(count);
        for (int i = 0; i < count; i++) {
            values.putFloat(i * Float.BYTES, (i * step % 101 - 50) / 51f);
        }
        return values;
    }

    /** Floats of both signs whose magnitudes are between 0.1 and 3. */
    static ByteBuffer apartFromZero(int count, int step) {
        ByteBuffer values = floats(count);
        for (int i = 0; i < count; i++) {
            values.putFloat(i * Float.BYTES, (i % 3 == 0 ? -0.1f : 0.1f) * (1 + i * step % 29));
        }
        return values;
    }

    /** Element of a buffer of floats. */
    static float at(ByteBuffer floats, int index) {
        return floats.getFloat(index * Float.BYTES);
    }

    static long address(ByteBuffer buffer) {
        return Native.directAddress(buffer);
    }
}
