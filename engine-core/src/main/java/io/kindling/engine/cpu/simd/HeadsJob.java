package io.kindling.engine.cpu.simd;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Writes one execution of an encoder's attention where C can read it: {@code heads_job} of {@code heads.h}. */
final class HeadsJob {
    /** Fields in C's order, 64 bits each. */
    enum Field {
        QUERY,
        KEY,
        VALUE,
        OUTPUT,
        MASK,
        BIAS,
        BIAS_BATCH,
        BIAS_HEAD,
        BIAS_ROW,
        QUERIES,
        KEYS,
        HEADS,
        SIZE,
        VALUE_SIZE,
        QUERY_BATCH,
        QUERY_ROW,
        QUERY_HEAD,
        KEY_BATCH,
        KEY_ROW,
        KEY_HEAD,
        VALUE_BATCH,
        VALUE_ROW,
        VALUE_HEAD,
        SCALE,
        FILTER
    }

    /** Room for all fields, in whole cache lines. */
    static final int BYTE_SIZE = (Field.values().length * Long.BYTES + 63) / 64 * 64;

    /** Queries whose scores are computed at once: {@code HEADS_QUERIES}. */
    static final int QUERIES_AT_ONCE = 256;

    private final ByteBuffer struct;

    /** @param struct at least {@link #BYTE_SIZE} bytes; all fields have to be set */
    HeadsJob(ByteBuffer struct) {
        this.struct = struct.order(ByteOrder.nativeOrder());
    }

    HeadsJob set(Field field, long value) {
        struct.putLong(field.ordinal() * Long.BYTES, value);
        return this;
    }

    HeadsJob set(Field field, double value) {
        struct.putDouble(field.ordinal() * Long.BYTES, value);
        return this;
    }

    /**
     * Sets an operand's address and three strides.
     *
     * @param first the field of the stride from batch to batch, behind which come those of rows and heads
     */
    HeadsJob operand(Field operand, long address, Field first, long batch, long row, long head) {
        int at = first.ordinal();
        Field[] fields = Field.values();
        return set(operand, address).set(first, batch).set(fields[at + 1], row).set(fields[at + 2], head);
    }
}
