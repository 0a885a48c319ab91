package io.kindling.engine.cpu.simd;

import io.kindling.engine.cpu.KernelPool;
import io.kindling.engine.cpu.simd.AttentionJob.Field;
import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Node;
import io.kindling.engine.provider.HostBuffer;
import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.KernelContext;
import io.kindling.engine.provider.KernelFactory;
import io.kindling.engine.provider.KernelRequest;
import io.kindling.engine.provider.Tensor;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.util.Arrays;

/**
 * {@code com.microsoft::GroupQueryAttention}: causal, over float32 caches {@code [batch, kv heads, positions, head]} with heads
 * of a multiple of 16. It is the arithmetic of {@link NativePagedAttention}, so a token gets the same bits from both. The rest
 * is left to the reference: what the node alone shows when the kernel is made, what tensors show at each execution.
 */
final class NativeGroupQueryAttention implements Kernel {
    private static final int PAST_KEY = 3;
    private static final int PAST_VALUE = 4;
    private static final int SEQLENS = 5;
    private static final int TOTAL = 6;
    private static final int COS = 7;
    private static final int SIN = 8;
    private static final int SINK = 11;

    /** Position ids, bias, cache scales, norm weights of query and key, query lengths: for the reference. */
    private static final int[] FOREIGN_INPUTS = {9, 10, 12, 13, 14, 15, 16};

    private static final int[] FLOAT_INPUTS = {
        AttentionForm.QUERY, AttentionForm.KEY, AttentionForm.VALUE, PAST_KEY, PAST_VALUE, COS, SIN, SINK
    };
    private static final int SCORES_OUTPUT = 3;

    private final KernelSet set;
    private final KernelPool pool;
    private final Kernel reference;
    private final AttentionForm form;

    private NativeGroupQueryAttention(KernelSet set, KernelPool pool, Kernel reference, Node node) {
        this.set = set;
        this.pool = pool;
        this.reference = reference;
        form = AttentionForm.of(node);
    }

    /** The reference itself where the node asks for what is not covered here. */
    static Kernel create(KernelSet set, KernelPool pool, KernelFactory reference, KernelRequest request) {
        Kernel plain = reference.create(request);
        return covers(request.node()) ? new NativeGroupQueryAttention(set, pool, plain, request.node()) : plain;
    }

    private static boolean covers(Node node) {
        for (int input : FOREIGN_INPUTS) {
            if (input < node.inputs().size() && !node.inputs().get(input).isEmpty()) {
                return false;
            }
        }
        boolean caches = node.outputs().size() > 2
                && !node.outputs().get(1).isEmpty()
                && !node.outputs().get(2).isEmpty();
        boolean scores = node.outputs().size() > SCORES_OUTPUT
                && !node.outputs().get(SCORES_OUTPUT).isEmpty();
        return caches
                && !scores
                && node.intAttribute("causal", 1) != 0
                && node.intAttribute("sliding_window_cache", 0) == 0
                && node.intAttribute("local_window_size", -1) != 0
                && node.stringAttribute("k_quant_type", "NONE").equals("NONE")
                && node.stringAttribute("v_quant_type", "NONE").equals("NONE");
    }

    @Override
    public String variant() {
        return "native " + set.level();
    }

    @Override
    public void execute(KernelContext context) {
        Tensor query = context.input(AttentionForm.QUERY);
        int batch = query.rank() == 3 ? (int) query.dim(0) : 0;
        int length = batch == 0 ? 0 : (int) query.dim(1);
        int tokens = batch * length;
        if (tokens == 0 || !tensorsFit(context)) {
            reference.execute(context);
            return;
        }
        HostBuffer scratch =
                (HostBuffer) context.scratch(1, AttentionJob.BYTE_SIZE + (3L * tokens + 1) * Integer.BYTES);
        ByteBuffer bytes = scratch.bytes();
        AttentionJob struct = new AttentionJob(bytes);
        int sequences = AttentionJob.BYTE_SIZE;
        int positions = sequences + tokens * Integer.BYTES;
        int blockFirst = positions + tokens * Integer.BYTES;
        int total = integer(context.input(TOTAL), 0);
        int pastCapacity = hasPast(context) ? (int) context.input(PAST_KEY).dim(2) : 0;
        int capacity = Math.max(pastCapacity, total);
        if (!place(context, bytes, sequences, positions, pastCapacity, capacity)) {
            reference.execute(context);
            return;
        }
        int blocks = cutBlocks(bytes, positions, blockFirst, batch, length);
        int head = form.headSize(context);
        Tensor output = context.output(
                0, DataType.FLOAT, batch, length, (long) form.options().heads() * head);
        Tensor keys = context.output(1, DataType.FLOAT, batch, form.options().kvHeads(), capacity, head);
        Tensor values = context.output(2, DataType.FLOAT, batch, form.options().kvHeads(), capacity, head);
        if (hasPast(context)) {
            keepPast(context.input(PAST_KEY), keys, bytes, positions, length);
            keepPast(context.input(PAST_VALUE), values, bytes, positions, length);
        }
        HostBuffer rotated =
                (HostBuffer) context.scratch(0, (long) tokens * form.options().heads() * head * Float.BYTES);
        long job = NativeMemory.addressOf(scratch);
        form.describe(context, struct, head, COS, SINK)
                .set(Field.ROTATED, NativeMemory.addressOf(rotated))
                .set(Field.OUTPUT, NativeMemory.addressOf(output))
                .set(Field.KEYS, NativeMemory.addressOf(keys))
                .set(Field.VALUES, NativeMemory.addressOf(values))
                .set(Field.PAGE_STRIDE, (long) form.options().kvHeads() * capacity * head)
                .set(Field.HEAD_STRIDE, (long) capacity * head)
                .set(Field.SEQUENCE, job + sequences)
                .set(Field.POSITION, job + positions)
                .set(Field.BLOCK_FIRST, job + blockFirst);
        form.run(set, pool, job, tokens, blocks);
    }

    private static boolean hasPast(KernelContext context) {
        return context.hasInput(PAST_KEY);
    }

    /** Whether types and shapes are those that C takes. */
    private boolean tensorsFit(KernelContext context) {
        for (int index : FLOAT_INPUTS) {
            if (context.hasInput(index) && context.input(index).type() != DataType.FLOAT) {
                return false;
            }
        }
        Tensor query = context.input(AttentionForm.QUERY);
        int head = form.headSize(context);
        boolean packed = AttentionForm.packed(context);
        long[] fresh = {query.dim(0), query.dim(1), (long) form.options().kvHeads() * head};
        return AttentionJob.covers(head, form.options().group())
                && query.dim(2) == (long) head * form.queryHeads(context)
                && (packed
                        || hasShape(context, AttentionForm.KEY, fresh) && hasShape(context, AttentionForm.VALUE, fresh))
                && pastFits(context, head)
                && integers(context.input(SEQLENS), query.dim(0))
                && integers(context.input(TOTAL), 1)
                && (!form.options().rotary() || tablesFit(context, head))
                && (!context.hasInput(SINK)
                        || context.input(SINK).elementCount() == form.options().heads());
    }

    private static boolean hasShape(KernelContext context, int input, long... shape) {
        return context.hasInput(input) && Arrays.equals(context.input(input).shape(), shape);
    }

    private static boolean integers(Tensor tensor, long count) {
        return tensor.type() == DataType.INT32 && tensor.elementCount() == count;
    }

    private boolean pastFits(KernelContext context, int head) {
        if (!hasPast(context)) {
            return !context.hasInput(PAST_VALUE);
        }
        Tensor past = context.input(PAST_KEY);
        return past.rank() == 4
                && hasShape(
                        context,
                        PAST_KEY,
                        context.input(AttentionForm.QUERY).dim(0),
                        form.options().kvHeads(),
                        past.dim(2),
                        head)
                && hasShape(context, PAST_VALUE, past.shape());
    }

    private static boolean tablesFit(KernelContext context, int head) {
        if (!context.hasInput(COS) || context.input(COS).rank() != 2) {
            return false;
        }
        Tensor cos = context.input(COS);
        return 2 * cos.dim(1) <= head && hasShape(context, SIN, cos.shape());
    }

    private static int integer(Tensor tensor, int index) {
        return tensor.ints().get(index);
    }

    /**
     * Writes the sequence and the position of each token; −1 is the position of padding. False where a length does not fit
     * the cache or the rotary table, which the reference refuses in words.
     */
    private boolean place(
            KernelContext context, ByteBuffer bytes, int sequences, int positions, int pastCapacity, int capacity) {
        int batch = (int) context.input(AttentionForm.QUERY).dim(0);
        int length = (int) context.input(AttentionForm.QUERY).dim(1);
        boolean firstPrompt = length == integer(context.input(TOTAL), 0);
        long limit = form.options().rotary() ? context.input(COS).dim(0) : Long.MAX_VALUE;
        for (int b = 0; b < batch; b++) {
            int total = integer(context.input(SEQLENS), b) + 1;
            int fresh = Math.min(length, total);
            int past = firstPrompt ? 0 : total - fresh;
            if (fresh < 0 || past > pastCapacity || past + fresh > capacity || past + fresh > limit) {
                return false;
            }
            for (int s = 0; s < length; s++) {
                int token = (b * length + s) * Integer.BYTES;
                bytes.putInt(sequences + token, b);
                bytes.putInt(positions + token, s < fresh ? past + s : -1);
            }
        }
        return true;
    }

    /** Writes where blocks of consecutive tokens of one sequence, or of its padding, begin; the number of blocks. */
    private int cutBlocks(ByteBuffer bytes, int positions, int blockFirst, int batch, int length) {
        int most = AttentionJob.blockTokens(form.options().group());
        int blocks = 0;
        for (int token = 0, inBlock = 0; token < batch * length; token++, inBlock++) {
            boolean paddingBegins = bytes.getInt(positions + token * Integer.BYTES) < 0
                    && token > 0
                    && bytes.getInt(positions + (token - 1) * Integer.BYTES) >= 0;
            if (token % length == 0 || inBlock == most || paddingBegins) {
                bytes.putInt(blockFirst + blocks * Integer.BYTES, token);
                blocks++;
                inBlock = 0;
            }
        }
        bytes.putInt(blockFirst + blocks * Integer.BYTES, batch * length);
        return blocks;
    }

    /** Copies the rows of the past that the new tokens follow; nothing where past and present are one buffer. */
    private void keepPast(Tensor past, Tensor present, ByteBuffer bytes, int positions, int length) {
        if (past.buffer() == present.buffer() && past.byteOffset() == present.byteOffset()) {
            if (past.dim(2) != present.dim(2)) {
                throw new KindlingException(
                        ErrorCode.SHAPE_OR_TYPE,
                        "GroupQueryAttention: the cache is one buffer for past " + past + " and present " + present
                                + ", which must then have equal shapes");
            }
            return;
        }
        int head = (int) past.dim(3);
        int pastLine = (int) past.dim(2) * head;
        int presentLine = (int) present.dim(2) * head;
        if (pastLine == 0) {
            return;
        }
        FloatBuffer source = past.floats();
        FloatBuffer target = present.floats();
        Ranges.run(pool, (int) past.dim(0) * form.options().kvHeads(), 1, (from, to) -> {
            for (int line = from; line < to; line++) {
                int rows = Math.max(
                        0, bytes.getInt(positions + line / form.options().kvHeads() * length * Integer.BYTES));
                target.put(line * presentLine, source, line * pastLine, rows * head);
            }
        });
    }

    @Override
    public void close() {
        reference.close();
    }
}
