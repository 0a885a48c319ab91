package io.kindling.engine.cpu.simd;

import io.kindling.engine.cpu.KernelPool;
import io.kindling.engine.cpu.simd.AttentionJob.Field;
import io.kindling.engine.ir.Node;
import io.kindling.engine.provider.KernelContext;
import io.kindling.engine.provider.Tensor;

/**
 * What {@code com.microsoft::GroupQueryAttention} and {@code kindling::PagedAttention} share: attributes, and query, key and
 * value as inputs 0 to 2, packed in the query where the key is absent.
 *
 * @param scale 0 stands for one over the root of the head size
 */
record AttentionForm(
        int heads,
        int kvHeads,
        float scale,
        float softcap,
        int window,
        boolean rotary,
        boolean interleaved,
        boolean smooth) {
    static final int QUERY = 0;
    static final int KEY = 1;
    static final int VALUE = 2;

    static AttentionForm of(Node node) {
        return new AttentionForm(
                (int) node.intAttribute("num_heads", 0),
                (int) node.intAttribute("kv_num_heads", 0),
                node.floatAttribute("scale", 0),
                node.floatAttribute("softcap", 0),
                (int) node.intAttribute("local_window_size", -1),
                node.intAttribute("do_rotary", 0) != 0,
                node.intAttribute("rotary_interleaved", 0) != 0,
                node.intAttribute("smooth_softmax", 0) != 0);
    }

    static boolean packed(KernelContext context) {
        return !context.hasInput(KEY);
    }

    /** Heads that lie side by side in a row of the query input. */
    int queryHeads(KernelContext context) {
        return packed(context) ? heads + 2 * kvHeads : heads;
    }

    int headSize(KernelContext context) {
        return (int) context.input(QUERY).dim(2) / queryHeads(context);
    }

    int group() {
        return heads / kvHeads;
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
        long keyOffset = (long) heads * head * Float.BYTES;
        long valueOffset = (long) (heads + kvHeads) * head * Float.BYTES;
        long width = packed ? query.dim(2) : (long) kvHeads * head;
        job.set(Field.QUERY, base)
                .set(Field.KEY, packed ? base + keyOffset : address(context, KEY))
                .set(Field.VALUE, packed ? base + valueOffset : address(context, VALUE))
                .set(Field.QUERY_STRIDE, query.dim(2))
                .set(Field.KEY_STRIDE, width)
                .set(Field.VALUE_STRIDE, width)
                .set(Field.OUTPUT_STRIDE, (long) heads * head)
                .set(Field.HEADS, heads)
                .set(Field.KV_HEADS, kvHeads)
                .set(Field.HEAD, head)
                .set(Field.WINDOW, window)
                .set(Field.SMOOTH, smooth ? 1 : 0)
                .set(Field.SCALE, scale == 0 ? (float) (1 / Math.sqrt(head)) : scale)
                .set(Field.SOFTCAP, (double) softcap);
        if (rotary) {
            job.set(Field.COS, address(context, cos))
                    .set(Field.SIN, address(context, cos + 1))
                    .set(Field.ROTARY, 2 * context.input(cos).dim(1))
                    .set(Field.INTERLEAVED, interleaved ? 1 : 0);
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
        Ranges.run(pool, blocks * kvHeads, 1, (from, to) -> Native.attend(set.address(), job, from, to));
    }
}
