package io.kindling.engine.cpu.simd;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Operands of self-tests, in memory that C can read. */
final class SelfTestData {
    /** C reads them by address alone, so that the collector would take them for unused. */
    private static final ThreadLocal<List<ByteBuffer>> READ = ThreadLocal.withInitial(ArrayList::new);

    private SelfTestData() {}

    /** What a test says; what it took an {@link #address} of stays until then. */
    static String keeping(Supplier<String> test) {
        try {
            return test.get();
        } finally {
            READ.remove();
        }
    }

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
        READ.get().add(buffer);
        return Native.directAddress(buffer);
    }
}
