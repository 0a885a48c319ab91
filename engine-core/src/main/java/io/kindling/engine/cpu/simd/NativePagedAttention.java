package io.kindling.engine.cpu.simd;

import io.kindling.engine.cpu.KernelPool;
import io.kindling.engine.cpu.simd.AttentionJob.Field;
import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Node;
import io.kindling.engine.ir.PagedAttention;
import io.kindling.engine.provider.HostBuffer;
import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.KernelContext;
import io.kindling.engine.provider.KernelFactory;
import io.kindling.engine.provider.KernelRequest;
import io.kindling.engine.provider.Tensor;
import java.nio.ByteBuffer;
import java.nio.IntBuffer;

/** {@link PagedAttention} over float32 pages with heads of a multiple of 16; the rest is left to the reference. */
final class NativePagedAttention implements Kernel {
    private static final int PAGE = PagedAttention.PAGE_TOKENS;

    private final KernelSet set;
    private final KernelPool pool;
    private final Kernel reference;
    private final AttentionForm form;

    private NativePagedAttention(KernelSet set, KernelPool pool, Kernel reference, Node node) {
        this.set = set;
        this.pool = pool;
        this.reference = reference;
        form = AttentionForm.of(node);
    }

    static Kernel create(KernelSet set, KernelPool pool, KernelFactory reference, KernelRequest request) {
        return new NativePagedAttention(set, pool, reference.create(request), request.node());
    }

    @Override
    public String variant() {
        return "native " + set.level();
    }

    private static boolean allFloat(KernelContext context) {
        for (int index : new int[] {
            PagedAttention.QUERY,
            PagedAttention.KEY,
            PagedAttention.VALUE,
            PagedAttention.KEY_PAGES,
            PagedAttention.VALUE_PAGES,
            PagedAttention.COS_CACHE,
            PagedAttention.SIN_CACHE,
            PagedAttention.HEAD_SINK
        }) {
            if (context.hasInput(index) && context.input(index).type() != DataType.FLOAT) {
                return false;
            }
        }
        return true;
    }

    @Override
    public void execute(KernelContext context) {
        Tensor query = context.input(PagedAttention.QUERY);
        int head = form.headSize(context);
        Tensor keyPages = context.input(PagedAttention.KEY_PAGES);
        Tensor valuePages = context.input(PagedAttention.VALUE_PAGES);
        if (!allFloat(context)
                || !AttentionJob.covers(head, form.options().group())
                || keyPages.dim(2) != head
                || keyPages.dim(3) != PAGE
                || valuePages.dim(3) != head) {
            reference.execute(context);
            return;
        }
        int tokens = (int) query.dim(1);
        Tensor output = context.output(
                0, DataType.FLOAT, 1, tokens, (long) form.options().heads() * head);
        if (tokens == 0) {
            return;
        }
        checkPlaces(context, tokens, keyPages.dim(0));
        HostBuffer rotated =
                (HostBuffer) context.scratch(0, (long) tokens * form.options().heads() * head * Float.BYTES);
        HostBuffer scratch = (HostBuffer) context.scratch(1, AttentionJob.BYTE_SIZE + (tokens + 1L) * Integer.BYTES);
        ByteBuffer bytes = scratch.bytes();
        int blocks = cutBlocks(context.input(PagedAttention.TOKEN_SEQUENCE), tokens, bytes);
        long job = NativeMemory.addressOf(scratch);
        describe(context, new AttentionJob(bytes), head)
                .set(Field.ROTATED, NativeMemory.addressOf(rotated))
                .set(Field.OUTPUT, NativeMemory.addressOf(output))
                .set(Field.BLOCK_FIRST, job + AttentionJob.BYTE_SIZE);
        form.run(set, pool, job, tokens, blocks);
    }

    private AttentionJob describe(KernelContext context, AttentionJob job, int head) {
        Tensor keyPages = context.input(PagedAttention.KEY_PAGES);
        return form.describe(context, job, head, PagedAttention.COS_CACHE, PagedAttention.HEAD_SINK)
                .set(Field.KEYS, NativeMemory.addressOf(keyPages))
                .set(Field.VALUES, AttentionForm.address(context, PagedAttention.VALUE_PAGES))
                .set(Field.KEYS_TRANSPOSED, 1)
                .set(Field.PAGE_STRIDE, (long) form.options().kvHeads() * head * PAGE)
                .set(Field.HEAD_STRIDE, (long) head * PAGE)
                .set(Field.BLOCK_TABLE, AttentionForm.address(context, PagedAttention.BLOCK_TABLE))
                .set(Field.BLOCKS, context.input(PagedAttention.BLOCK_TABLE).dim(1))
                .set(Field.SEQUENCE, AttentionForm.address(context, PagedAttention.TOKEN_SEQUENCE))
                .set(Field.POSITION, AttentionForm.address(context, PagedAttention.TOKEN_POSITION));
    }

    /** C trusts sequences, positions and pages; a wrong one must be an error, not a stray write. */
    private void checkPlaces(KernelContext context, int tokens, long pages) {
        IntBuffer sequences = context.input(PagedAttention.TOKEN_SEQUENCE).ints();
        IntBuffer positions = context.input(PagedAttention.TOKEN_POSITION).ints();
        Tensor table = context.input(PagedAttention.BLOCK_TABLE);
        long limit = form.options().rotary()
                ? context.input(PagedAttention.COS_CACHE).dim(0)
                : Long.MAX_VALUE;
        int columns = (int) table.dim(1);
        for (int token = 0; token < tokens; token++) {
            int sequence = sequences.get(token);
            int position = positions.get(token);
            if (sequence < 0
                    || sequence >= table.dim(0)
                    || position < 0
                    || position / PAGE >= columns
                    || position >= limit) {
                throw outside("token " + token + " of sequence " + sequence + " at position " + position
                        + " is outside the block table " + table + " or the rotary table of " + limit + " positions");
            }
            boolean last = token + 1 == tokens || sequences.get(token + 1) != sequence;
            if (!last && positions.get(token + 1) != position + 1) {
                throw outside("positions " + position + " and " + positions.get(token + 1) + " of sequence " + sequence
                        + " must be consecutive");
            }
            for (int block = 0; last && block <= position / PAGE; block++) {
                int page = table.ints().get(sequence * columns + block);
                if (page < 0 || page >= pages) {
                    throw outside("page " + page + " of sequence " + sequence + " is none of " + pages);
                }
            }
        }
    }

    private static KindlingException outside(String problem) {
        return new KindlingException(ErrorCode.SHAPE_OR_TYPE, "PagedAttention: " + problem);
    }

    /** Writes where blocks of consecutive tokens of one sequence begin, behind the job; the number of blocks. */
    private int cutBlocks(Tensor sequenceTensor, int tokens, ByteBuffer bytes) {
        IntBuffer sequences = sequenceTensor.ints();
        int most = AttentionJob.blockTokens(form.options().group());
        int blocks = 0;
        for (int start = 0; start < tokens; blocks++) {
            bytes.putInt(AttentionJob.BYTE_SIZE + blocks * Integer.BYTES, start);
            int sequence = sequences.get(start);
            int end = start + 1;
            while (end < tokens && end - start < most && sequences.get(end) == sequence) {
                end++;
            }
            start = end;
        }
        bytes.putInt(AttentionJob.BYTE_SIZE + blocks * Integer.BYTES, tokens);
        return blocks;
    }

    @Override
    public void close() {
        reference.close();
    }
}
