package io.kindling.engine.cpu.simd;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Writes one execution of attention where C can read it: {@code attention_job} of {@code attention_job.h}. */
final class AttentionJob {
    /** Fields in C's order, 64 bits each. */
    enum Field {
        QUERY,
        KEY,
        VALUE,
        ROTATED,
        OUTPUT,
        KEYS,
        VALUES,
        BLOCK_TABLE,
        SEQUENCE,
        POSITION,
        COS,
        SIN,
        SINK,
        BLOCK_FIRST,
        QUERY_STRIDE,
        KEY_STRIDE,
        VALUE_STRIDE,
        OUTPUT_STRIDE,
        PAGE_STRIDE,
        HEAD_STRIDE,
        BLOCKS,
        KEYS_TRANSPOSED,
        HEADS,
        KV_HEADS,
        HEAD,
        ROTARY,
        INTERLEAVED,
        WINDOW,
        SMOOTH,
        SCALE,
        SOFTCAP
    }

    static final int BYTE_SIZE = Field.values().length * Long.BYTES;

    /** Most tokens that one block takes, and most queries: {@code ATTENTION_BLOCK} and {@code MAX_QUERIES}. */
    private static final int BLOCK_TOKENS = 8;

    static final int MAX_QUERIES = 64;
    static final int MAX_HEAD = 256;

    private final ByteBuffer struct;

    /** @param struct at least {@link #BYTE_SIZE} bytes; all fields become 0 */
    AttentionJob(ByteBuffer struct) {
        this.struct = struct.order(ByteOrder.nativeOrder());
        for (Field field : Field.values()) {
            set(field, 0);
        }
    }

    AttentionJob set(Field field, long value) {
        struct.putLong(field.ordinal() * Long.BYTES, value);
        return this;
    }

    AttentionJob set(Field field, double value) {
        struct.putDouble(field.ordinal() * Long.BYTES, value);
        return this;
    }

    /** Whether the C core takes heads of this size, {@code group} of which share keys and values. */
    static boolean covers(int head, int group) {
        return head % 16 == 0 && head > 0 && head <= MAX_HEAD && group <= MAX_QUERIES;
    }

    /** Tokens of one block when {@code group} query heads share keys and values. */
    static int blockTokens(int group) {
        return Math.max(1, Math.min(BLOCK_TOKENS, MAX_QUERIES / group));
    }
}
