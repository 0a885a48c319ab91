package io.kindling.engine.cpu.simd;

import io.kindling.engine.cpu.GqaOptions;
import io.kindling.engine.cpu.KernelPool;
import io.kindling.engine.cpu.simd.AttentionJob.Field;
import io.kindling.engine.ir.Node;
import io.kindling.engine.provider.KernelContext;
import io.kindling.engine.provider.Tensor;

/**
 * How {@code com.microsoft::GroupQueryAttention} and {@code kindling::PagedAttention} are described to C: their attributes, and query, key
 * and value as inputs 0 to 2, packed in the query where the key is absent.
 */
record AttentionForm(GqaOptions options) {
    static final int QUERY = 0;
    static final int KEY = 1;
    static final int VALUE = 2;

    static AttentionForm of(Node node) {
        return new AttentionForm(GqaOptions.of(node));
    }

    static boolean packed(KernelContext context) {
        return !context.hasInput(KEY);
    }

    /** Heads that lie side by side in a row of the query input. */
    int queryHeads(KernelContext context) {
        return packed(context) ? options.heads() + 2 * options.kvHeads() : options.heads();
    }

    int headSize(KernelContext context) {
        return (int) context.input(QUERY).dim(2) / queryHeads(context);
    }

    /**
     * Sets the fields of attributes, query, key, value, rotary tables and sink.
     *
     * @param cos input of the cosine table; the sine table is the next input
     * @param sink input of the sinks, which may be absent
     */
    AttentionJob describe(KernelContext context, AttentionJob job, int head, int cos, int sink) {
        Tensor query = context.input(QUERY);
        boolean packed = packed(context);
        long base = NativeMemory.addressOf(query);
        long keyOffset = (long) options.heads() * head * Float.BYTES;
        long valueOffset = (long) (options.heads() + options.kvHeads()) * head * Float.BYTES;
        long width = packed ? query.dim(2) : (long) options.kvHeads() * head;
        job.set(Field.QUERY, base)
                .set(Field.KEY, packed ? base + keyOffset : address(context, KEY))
                .set(Field.VALUE, packed ? base + valueOffset : address(context, VALUE))
                .set(Field.QUERY_STRIDE, query.dim(2))
                .set(Field.KEY_STRIDE, width)
                .set(Field.VALUE_STRIDE, width)
                .set(Field.OUTPUT_STRIDE, (long) options.heads() * head)
                .set(Field.HEADS, options.heads())
                .set(Field.KV_HEADS, options.kvHeads())
                .set(Field.HEAD, head)
                .set(Field.WINDOW, options.window())
                .set(Field.SMOOTH, options.smoothSoftmax() ? 1 : 0)
                .set(Field.SCALE, options.scaleFor(head))
                .set(Field.SOFTCAP, (double) options.softcap());
        if (options.rotary()) {
            job.set(Field.COS, address(context, cos))
                    .set(Field.SIN, address(context, cos + 1))
                    .set(Field.ROTARY, 2 * context.input(cos).dim(1))
                    .set(Field.INTERLEAVED, options.interleaved() ? 1 : 0);
        }
        if (context.hasInput(sink)) {
            job.set(Field.SINK, address(context, sink));
        }
        return job;
    }

    static long address(KernelContext context, int input) {
        return NativeMemory.addressOf(context.input(input));
    }

    /** Rotates and stores all tokens, then attends for all blocks. */
    void run(KernelSet set, KernelPool pool, long job, int tokens, int blocks) {
        Ranges.run(
                tokens < NativeMatMulNBits.MANY_ROWS ? null : pool,
                tokens,
                1,
                (from, to) -> Native.append(set.address(), job, from, to));
        Ranges.run(pool, blocks * options.kvHeads(), 1, (from, to) -> Native.attend(set.address(), job, from, to));
    }
}
