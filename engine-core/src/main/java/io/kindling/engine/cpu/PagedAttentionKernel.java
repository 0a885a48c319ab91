package io.kindling.engine.cpu;

import io.kindling.engine.ir.PagedAttention;
import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.KernelContext;
import io.kindling.engine.provider.KernelRequest;
import io.kindling.engine.provider.Tensor;

/** {@link PagedAttention}: the arithmetic of {@link GroupQueryAttentionKernel}, with keys and values in pages. */
final class PagedAttentionKernel implements Kernel {
    private static final int PAGE = PagedAttention.PAGE_TOKENS;

    private final GqaOptions options;
    private final KernelPool pool;

    private PagedAttentionKernel(GqaOptions options, KernelPool pool) {
        this.options = options;
        this.pool = pool;
    }

    static Kernel create(KernelRequest request, KernelPool pool) {
        return new PagedAttentionKernel(GqaOptions.of(request.node()), pool);
    }

    @Override
    public void execute(KernelContext context) {
        Run run = new Run(context);
        pool.run(options.kvHeads(), run::head);
    }

    /** One execution: the tensors, and what their shapes say. */
    private final class Run {
        private final Tensor query;
        private final Tensor key;
        private final Tensor value;
        private final Tensor keyPages;
        private final Tensor valuePages;
        private final Tensor blockTable;
        private final Tensor sequences;
        private final Tensor positions;
        private final Tensor output;
        private final float[] sinks;
        private final Rotary rotary;
        private final int tokens;
        private final int headSize;
        private final boolean packed;

        private Run(KernelContext context) {
            query = context.input(PagedAttention.QUERY);
            packed = !context.hasInput(PagedAttention.KEY);
            key = packed ? query : context.input(PagedAttention.KEY);
            value = packed ? query : context.input(PagedAttention.VALUE);
            keyPages = context.input(PagedAttention.KEY_PAGES);
            valuePages = context.input(PagedAttention.VALUE_PAGES);
            blockTable = context.input(PagedAttention.BLOCK_TABLE);
            sequences = context.input(PagedAttention.TOKEN_SEQUENCE);
            positions = context.input(PagedAttention.TOKEN_POSITION);
            rotary = options.rotary()
                    ? new Rotary(
                            context.input(PagedAttention.COS_CACHE),
                            context.input(PagedAttention.SIN_CACHE),
                            options.interleaved())
                    : null;
            sinks = context.hasInput(PagedAttention.HEAD_SINK)
                    ? TensorIo.floats(context.input(PagedAttention.HEAD_SINK))
                    : options.smoothSoftmax() ? new float[options.heads()] : null;
            tokens = (int) query.dim(1);
            headSize = (int) query.dim(2) / (packed ? options.heads() + 2 * options.kvHeads() : options.heads());
            if (keyPages.dim(2) != headSize || keyPages.dim(3) != PAGE || valuePages.dim(3) != headSize) {
                throw Shapes.invalid(
                        "pages " + keyPages + " and " + valuePages + " do not fit a head size of " + headSize);
            }
            output = context.output(0, query.type(), 1, tokens, (long) options.heads() * headSize);
        }

        private void head(int kv) {
            for (int token = 0; token < tokens; token++) {
                write(kv, token);
            }
            for (int start = 0; start < tokens; ) {
                int sequence = sequences.ints().get(start);
                int end = start + 1;
                while (end < tokens && sequences.ints().get(end) == sequence) {
                    end++;
                }
                attend(kv, sequence, start, end);
                start = end;
            }
        }

        private int page(int sequence, int position) {
            return blockTable.ints().get(sequence * (int) blockTable.dim(1) + position / PAGE);
        }

        private void write(int kv, int token) {
            int position = positions.ints().get(token);
            int page = page(sequences.ints().get(token), position);
            int slot = position % PAGE;
            float[] vector = Work.mine().floats(2, headSize);
            int width = (int) key.dim(2);
            TensorIo.load(key, token * width + ((packed ? options.heads() : 0) + kv) * headSize, vector, 0, headSize);
            if (rotary != null) {
                rotary.apply(vector, position);
            }
            int head = page * options.kvHeads() + kv;
            for (int d = 0; d < headSize; d++) {
                TensorIo.store(vector, d, keyPages, (head * headSize + d) * PAGE + slot, 1);
            }
            int valueAt = token * width + ((packed ? options.heads() + options.kvHeads() : 0) + kv) * headSize;
            TensorIo.load(value, valueAt, vector, 0, headSize);
            TensorIo.store(vector, 0, valuePages, (head * PAGE + slot) * headSize, headSize);
        }

        private void attend(int kv, int sequence, int start, int end) {
            int blocks = positions.ints().get(end - 1) / PAGE + 1;
            int stride = blocks * PAGE;
            Work work = Work.mine();
            float[][] keys = work.floatRows(0, headSize, stride);
            float[][] values = work.floatRows(1, stride, headSize);
            for (int block = 0; block < blocks; block++) {
                int head = page(sequence, block * PAGE) * options.kvHeads() + kv;
                for (int d = 0; d < headSize; d++) {
                    TensorIo.load(keyPages, (head * headSize + d) * PAGE, keys[d], block * PAGE, PAGE);
                }
                for (int slot = 0; slot < PAGE; slot++) {
                    TensorIo.load(
                            valuePages, (head * PAGE + slot) * headSize, values[block * PAGE + slot], 0, headSize);
                }
            }
            float[] vector = work.floats(2, headSize);
            float[] weights = work.floats(3, stride);
            float[] result = work.floats(4, headSize);
            float scale = options.scaleFor(headSize);
            for (int token = start; token < end; token++) {
                int position = positions.ints().get(token);
                int first = options.firstSeen(position);
                for (int h = kv * options.group(); h < (kv + 1) * options.group(); h++) {
                    TensorIo.load(query, token * (int) query.dim(2) + h * headSize, vector, 0, headSize);
                    if (rotary != null) {
                        rotary.apply(vector, position);
                    }
                    AttentionCore.scores(vector, headSize, keys, first, position + 1, scale, weights);
                    AttentionCore.softcap(weights, first, position + 1, options.softcap());
                    AttentionCore.softmax(
                            weights, first, position + 1, 0, sinks == null ? AttentionCore.NO_SINK : sinks[h]);
                    AttentionCore.combine(weights, first, position + 1, values, headSize, result);
                    TensorIo.store(result, 0, output, (token * options.heads() + h) * headSize, headSize);
                }
            }
        }
    }
}
