package io.kindling.engine.cpu;

import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.OperatorException;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Node;
import io.kindling.engine.ir.PackedElements;
import io.kindling.engine.provider.Tensor;

/**
 * How rows of a key or value cache are stored: as they are, or quantised symmetrically to 8 or 4 bits with one scale for the
 * tensor or one a channel (shape broadcastable to {@code [1, kv_heads, 1, head_size]}). Two 4-bit values share a byte, low nibble
 * first, biased by 8.
 */
final class CacheCodec {
    private final int bits;
    private final boolean perChannel;

    private CacheCodec(int bits, boolean perChannel) {
        this.bits = bits;
        this.perChannel = perChannel;
    }

    static CacheCodec of(Node node, String quantType, int bitWidth) {
        return switch (quantType) {
            case "NONE" -> new CacheCodec(0, false);
            case "PER_TENSOR", "PER_CHANNEL" -> {
                if (bitWidth != 4 && bitWidth != 8) {
                    throw new OperatorException(
                            ErrorCode.UNSUPPORTED,
                            node.operator(),
                            node.name(),
                            "kv_cache_bit_width must be 4 or 8, not " + bitWidth);
                }
                yield new CacheCodec(bitWidth, quantType.equals("PER_CHANNEL"));
            }
            default ->
                throw new OperatorException(
                        ErrorCode.MODEL_INVALID,
                        node.operator(),
                        node.name(),
                        "quantisation must be NONE, PER_TENSOR or PER_CHANNEL, not " + quantType);
        };
    }

    private float scale(Tensor scales, int kvHead, int headSize, int d) {
        return TensorIo.getFloat(scales, perChannel ? kvHead * headSize + d : 0);
    }

    private int code(float value, float scale) {
        int limit = 1 << bits - 1;
        return Math.max(-limit, Math.min(limit - 1, (int) Math.rint(value / scale)));
    }

    /** Reads row {@code row} of the cache, counted over batch, heads and positions. */
    void load(Tensor cache, int row, int headSize, Tensor scales, int kvHead, float[] target, int offset) {
        if (bits == 0) {
            TensorIo.load(cache, row * headSize, target, offset, headSize);
            return;
        }
        for (int d = 0; d < headSize; d++) {
            int code = bits == 8
                    ? cache.bytes().get(row * headSize + d)
                    : (cache.bytes().get((row * headSize + d) / 2) >> (d & 1) * 4 & 15) - 8;
            target[offset + d] = code * scale(scales, kvHead, headSize, d);
        }
    }

    void store(float[] source, int offset, Tensor cache, int row, int headSize, Tensor scales, int kvHead) {
        if (bits == 0) {
            TensorIo.store(source, offset, cache, row * headSize, headSize);
            return;
        }
        for (int d = 0; d < headSize; d++) {
            int code = code(source[offset + d], scale(scales, kvHead, headSize, d));
            if (bits == 8) {
                cache.bytes().put(row * headSize + d, (byte) code);
            } else {
                PackedElements.put(cache.bytes(), row * headSize + d, code + 8, 4);
            }
        }
    }

    /** Gives a fresh row the values it will have when it is read back, so that a chunk sees what later chunks see. */
    void round(DataType type, Tensor scales, int kvHead, int headSize, float[] row, int offset) {
        for (int d = offset; d < offset + headSize; d++) {
            if (bits != 0) {
                float scale = scale(scales, kvHead, headSize, d - offset);
                row[d] = code(row[d], scale) * scale;
            } else if (type == DataType.FLOAT16) {
                row[d] = HalfFloat.fromHalf(HalfFloat.toHalf(row[d]));
            } else if (type == DataType.BFLOAT16) {
                row[d] = HalfFloat.fromBrain(HalfFloat.toBrain(row[d]));
            }
        }
    }
}
