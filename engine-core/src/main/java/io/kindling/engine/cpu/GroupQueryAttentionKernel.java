package io.kindling.engine.cpu;

import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.OperatorException;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Node;
import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.KernelContext;
import io.kindling.engine.provider.KernelRequest;
import io.kindling.engine.provider.Tensor;
import java.util.Arrays;

/**
 * {@code com.microsoft::GroupQueryAttention} (since 1), as its schema says: packed or separate query, key and value, a cache
 * that grows or is one buffer of maximal length, right-padded prompts and chunks, rotary embedding, local window, softcap,
 * sinks, bias, per-head normalisation. Arithmetic: {@link AttentionCore}.
 */
final class GroupQueryAttentionKernel implements Kernel {
    private final GqaOptions options;
    private final KernelPool pool;
    private final boolean causal;
    private final boolean slidingCache;
    private final int qkOutput;
    private final float queryEpsilon;
    private final float keyEpsilon;
    private final CacheCodec keyCodec;
    private final CacheCodec valueCodec;

    private GroupQueryAttentionKernel(Node node, KernelPool pool) {
        this.pool = pool;
        options = GqaOptions.of(node);
        causal = node.intAttribute("causal", 1) != 0;
        slidingCache = node.intAttribute("sliding_window_cache", 0) != 0;
        qkOutput = (int) node.intAttribute("qk_output", 0);
        float epsilon = node.floatAttribute("qk_norm_epsilon", 1e-6f);
        queryEpsilon = node.floatAttribute("q_norm_epsilon", epsilon);
        keyEpsilon = node.floatAttribute("k_norm_epsilon", epsilon);
        int width = (int) node.intAttribute("kv_cache_bit_width", 0);
        keyCodec = CacheCodec.of(node, node.stringAttribute("k_quant_type", "NONE"), width);
        valueCodec = CacheCodec.of(node, node.stringAttribute("v_quant_type", "NONE"), width);
        if (!causal && options.window() >= 0) {
            throw new OperatorException(
                    ErrorCode.MODEL_INVALID,
                    node.operator(),
                    node.name(),
                    "local_window_size must be -1 when causal is 0, not " + options.window());
        }
        if (slidingCache && options.window() <= 0) {
            throw new OperatorException(
                    ErrorCode.MODEL_INVALID,
                    node.operator(),
                    node.name(),
                    "sliding_window_cache needs a positive local_window_size, not " + options.window());
        }
    }

    static Kernel create(KernelRequest request, KernelPool pool) {
        return new GroupQueryAttentionKernel(request.node(), pool);
    }

    @Override
    public void execute(KernelContext context) {
        Run run = new Run(context);
        pool.run(run.batch * options.kvHeads(), part -> run.head(part / options.kvHeads(), part % options.kvHeads()));
    }

    /** One execution: the tensors, and what their shapes say. */
    private final class Run {
        private final Tensor query;
        private final Tensor key;
        private final Tensor value;
        private final Tensor pastKey;
        private final Tensor pastValue;
        private final Tensor presentKey;
        private final Tensor presentValue;
        private final Tensor output;
        private final Tensor scores;
        private final Tensor bias;
        private final Tensor positionIds;
        private final Tensor querySeqlens;
        private final Tensor seqlens;
        private final Tensor keyScale;
        private final Tensor valueScale;
        private final float[] sinks;
        private final float[] queryNorm;
        private final float[] keyNorm;
        private final Rotary rotary;
        private final int batch;
        private final int length;
        private final int newRows;
        private final int headSize;
        private final int capacity;
        private final int pastCapacity;
        private final boolean firstPrompt;

        private Run(KernelContext context) {
            query = context.input(0);
            if (query.rank() != 3) {
                throw Shapes.invalid("query " + query + " must be [batch, sequence, hidden]");
            }
            boolean packed = !context.hasInput(1);
            key = packed ? query : context.input(1);
            value = packed ? query : context.input(2);
            batch = (int) query.dim(0);
            length = (int) query.dim(1);
            newRows = (int) key.dim(1);
            headSize = (int) query.dim(2) / (packed ? options.heads() + 2 * options.kvHeads() : options.heads());
            pastKey = context.hasInput(3) ? context.input(3) : null;
            pastValue = context.hasInput(4) ? context.input(4) : null;
            seqlens = context.input(5);
            int total = Math.toIntExact(TensorIo.getLong(context.input(6), 0));
            rotary = options.rotary() ? new Rotary(context.input(7), context.input(8), options.interleaved()) : null;
            positionIds = optional(context, 9);
            bias = optional(context, 10);
            Tensor sinkTensor = optional(context, 11);
            keyScale = optional(context, 12);
            valueScale = optional(context, 13);
            queryNorm = context.hasInput(14) ? TensorIo.floats(context.input(14)) : null;
            keyNorm = context.hasInput(15) ? TensorIo.floats(context.input(15)) : null;
            querySeqlens = optional(context, 16);
            sinks = sinkTensor == null
                    ? (options.smoothSoftmax() ? new float[options.heads()] : null)
                    : TensorIo.floats(sinkTensor);
            firstPrompt = querySeqlens == null && length == total;
            pastCapacity = pastKey == null ? 0 : (int) pastKey.dim(2);
            capacity = slidingCache ? pastCapacity : Math.max(pastCapacity, total);
            DataType cacheType = pastKey == null ? key.type() : pastKey.type();
            long cacheWidth = pastKey == null ? headSize : pastKey.dim(3);
            long[] cacheShape = {batch, options.kvHeads(), capacity, cacheWidth};
            output = context.output(0, query.type(), batch, length, (long) options.heads() * headSize);
            presentKey = context.hasOutput(1) ? context.output(1, cacheType, cacheShape) : null;
            presentValue = context.hasOutput(2) ? context.output(2, cacheType, cacheShape) : null;
            refuseMovedCache(pastKey, presentKey);
            refuseMovedCache(pastValue, presentValue);
            scores = context.hasOutput(3)
                    ? context.output(3, query.type(), batch, options.heads(), length, total)
                    : null;
        }

        private static Tensor optional(KernelContext context, int index) {
            return context.hasInput(index) ? context.input(index) : null;
        }

        private boolean shared(Tensor past, Tensor present) {
            return past != null
                    && present != null
                    && past.buffer() == present.buffer()
                    && past.byteOffset() == present.byteOffset();
        }

        private void refuseMovedCache(Tensor past, Tensor present) {
            if (shared(past, present) && past.dim(2) != present.dim(2)) {
                throw Shapes.invalid("the cache is one buffer for past " + past + " and present " + present
                        + ", which must then have equal shapes");
            }
        }

        /** All query heads that share key and value head {@code kv} of sequence {@code b}. */
        private void head(int b, int kv) {
            int total = Math.toIntExact(TensorIo.getLong(seqlens, b)) + 1;
            int fresh = querySeqlens == null
                    ? Math.min(newRows, total)
                    : Math.toIntExact(TensorIo.getLong(querySeqlens, b));
            int past = firstPrompt ? 0 : total - fresh;
            int resident = slidingCache ? resident(past) : past;
            int base = past - resident;
            int rows = resident + fresh;
            if (past < 0 || resident > pastCapacity || !slidingCache && rows > capacity) {
                throw Shapes.invalid("sequence " + b + " has " + total + " positions, " + fresh
                        + " of them new; the cache holds " + pastCapacity);
            }
            Work work = Work.mine();
            float[][] keys = work.floatRows(0, headSize, rows);
            float[][] values = work.floatRows(1, rows, headSize);
            float[] vector = work.floats(2, headSize);
            int cacheHead = b * options.kvHeads() + kv;
            for (int r = 0; r < resident; r++) {
                keyCodec.load(pastKey, cacheHead * pastCapacity + r, headSize, keyScale, kv, vector, 0);
                AttentionCore.putKey(vector, headSize, keys, r);
                valueCodec.load(pastValue, cacheHead * pastCapacity + r, headSize, valueScale, kv, values[r], 0);
            }
            for (int s = 0; s < fresh; s++) {
                appendRow(b, kv, s, past + s, resident + s, keys, values, vector);
            }
            store(cacheHead, kv, resident, rows, past + fresh, keys, values, vector);
            float[] weights = work.floats(3, Math.max(rows, 1));
            float[] result = work.floats(4, headSize);
            float[] biasRow = bias == null ? null : work.floats(5, base + rows);
            for (int g = 0; g < options.group(); g++) {
                int h = kv * options.group() + g;
                for (int s = 0; s < length; s++) {
                    if (s >= fresh && causal) {
                        Arrays.fill(result, 0, headSize, 0);
                    } else {
                        loadQuery(b, h, s, past + s, vector);
                        attend(b, h, s, past + s, base, rows, keys, values, vector, weights, biasRow, result);
                    }
                    TensorIo.store(result, 0, output, ((b * length + s) * options.heads() + h) * headSize, headSize);
                }
            }
        }

        /** Rows of a window-sized cache that hold positions after {@code total} tokens; see the operator's schema. */
        private int resident(int total) {
            if (total <= pastCapacity) {
                return total;
            }
            int slack = pastCapacity - options.window() + 1;
            return total - slack * ((total - pastCapacity + slack - 1) / slack);
        }

        private void appendRow(
                int b, int kv, int s, int position, int row, float[][] keys, float[][] values, float[] vector) {
            int width = (int) key.dim(2);
            boolean packed = key == query;
            int keyAt = (b * newRows + s) * width + ((packed ? options.heads() : 0) + kv) * headSize;
            int valueAt =
                    (b * newRows + s) * width + ((packed ? options.heads() + options.kvHeads() : 0) + kv) * headSize;
            TensorIo.load(key, keyAt, vector, 0, headSize);
            if (keyNorm != null) {
                AttentionCore.normalise(vector, 0, headSize, keyNorm, keyEpsilon);
            }
            if (rotary != null) {
                rotary.apply(vector, positionOf(b, s, position));
            }
            keyCodec.round(key.type(), keyScale, kv, headSize, vector, 0);
            AttentionCore.putKey(vector, headSize, keys, row);
            TensorIo.load(value, valueAt, values[row], 0, headSize);
            valueCodec.round(value.type(), valueScale, kv, headSize, values[row], 0);
        }

        private int positionOf(int b, int s, int position) {
            return positionIds == null ? position : Math.toIntExact(TensorIo.getLong(positionIds, b * length + s));
        }

        private void store(
                int cacheHead,
                int kv,
                int resident,
                int rows,
                int total,
                float[][] keys,
                float[][] values,
                float[] vector) {
            int kept = slidingCache ? resident(total) : rows;
            int dropped = rows - kept;
            boolean inPlace = dropped == 0;
            int firstKey = inPlace && shared(pastKey, presentKey) ? resident : 0;
            int firstValue = inPlace && shared(pastValue, presentValue) ? resident : 0;
            for (int r = firstKey; presentKey != null && r < kept; r++) {
                for (int d = 0; d < headSize; d++) {
                    vector[d] = keys[d][dropped + r];
                }
                keyCodec.store(vector, 0, presentKey, cacheHead * capacity + r, headSize, keyScale, kv);
            }
            for (int r = firstValue; presentValue != null && r < kept; r++) {
                valueCodec.store(
                        values[dropped + r], 0, presentValue, cacheHead * capacity + r, headSize, valueScale, kv);
            }
        }

        private void loadQuery(int b, int h, int s, int position, float[] vector) {
            TensorIo.load(query, (b * length + s) * (int) query.dim(2) + h * headSize, vector, 0, headSize);
            if (queryNorm != null) {
                AttentionCore.normalise(vector, 0, headSize, queryNorm, queryEpsilon);
            }
            if (rotary != null) {
                rotary.apply(vector, positionOf(b, s, position));
            }
        }

        private void attend(
                int b,
                int h,
                int s,
                int position,
                int base,
                int rows,
                float[][] keys,
                float[][] values,
                float[] vector,
                float[] weights,
                float[] biasRow,
                float[] result) {
            int end = causal ? Math.min(position + 1 - base, rows) : rows;
            int first = Math.max(0, options.firstSeen(position) - base);
            if (biasRow != null) {
                int columns = (int) bias.dim(3);
                int line = ((bias.dim(0) == 1 ? 0 : b) * (int) bias.dim(1) + (bias.dim(1) == 1 ? 0 : h))
                                * (int) bias.dim(2)
                        + s;
                TensorIo.load(bias, line * columns, biasRow, 0, Math.min(base + rows, columns));
            }
            AttentionCore.scores(vector, headSize, keys, first, end, options.scaleFor(headSize), weights);
            AttentionCore.softcap(weights, first, end, options.softcap());
            if (biasRow != null) {
                AttentionCore.addBias(weights, first, end, biasRow, base);
            }
            if (qkOutput == 1) {
                storeScores(b, h, s, base, first, end, weights);
            }
            AttentionCore.softmax(weights, first, end, base, sinks == null ? AttentionCore.NO_SINK : sinks[h]);
            if (qkOutput == 2) {
                storeScores(b, h, s, base, first, end, weights);
            }
            AttentionCore.combine(weights, first, end, values, headSize, result);
        }

        private void storeScores(int b, int h, int s, int base, int first, int end, float[] weights) {
            if (scores != null) {
                int line = ((b * options.heads() + h) * length + s) * (int) scores.dim(3);
                for (int p = 0; p < scores.dim(3); p++) {
                    boolean seen = p >= base + first && p < base + end;
                    TensorIo.putDouble(scores, line + p, seen ? weights[p - base] : 0);
                }
            }
        }
    }
}
