package io.kindling.engine.cpu.simd;

import static io.kindling.engine.cpu.simd.SelfTestData.address;
import static io.kindling.engine.cpu.simd.SelfTestData.at;
import static io.kindling.engine.cpu.simd.SelfTestData.bytes;
import static io.kindling.engine.cpu.simd.SelfTestData.pattern;

import io.kindling.engine.cpu.simd.AttentionJob.Field;
import java.nio.ByteBuffer;

/** Appends and attends once over two pages, and compares with plain arithmetic; see {@link SelfTest}. */
final class AttentionSelfTest {
    private static final int HEAD = 32;
    private static final int TOKENS = 19;

    private AttentionSelfTest() {}

    /** Empty when right; else what differs. One sequence, one kv head, two query heads that share it, no rotation. */
    static String run(KernelSet set) {
        ByteBuffer query = pattern(TOKENS * 2 * HEAD, 119);
        ByteBuffer key = pattern(TOKENS * HEAD, 187);
        ByteBuffer value = pattern(TOKENS * HEAD, 221);
        ByteBuffer pages = bytes(4 * 16 * HEAD * Float.BYTES);
        ByteBuffer rotated = bytes(TOKENS * 2 * HEAD * Float.BYTES);
        ByteBuffer output = bytes(TOKENS * 2 * HEAD * Float.BYTES);
        ByteBuffer positions = bytes(TOKENS * Integer.BYTES);
        for (int t = 0; t < TOKENS; t++) {
            positions.putInt(t * Integer.BYTES, t);
        }
        ByteBuffer table = bytes(2 * Integer.BYTES).putInt(0, 1);
        ByteBuffer blocks = bytes(4 * Integer.BYTES).putInt(4, 8).putInt(8, 16).putInt(12, TOKENS);
        ByteBuffer struct = bytes(AttentionJob.BYTE_SIZE);
        ByteBuffer sequences = bytes(TOKENS * Integer.BYTES);
        new AttentionJob(struct)
                .set(Field.QUERY, address(query))
                .set(Field.KEY, address(key))
                .set(Field.VALUE, address(value))
                .set(Field.ROTATED, address(rotated))
                .set(Field.OUTPUT, address(output))
                .set(Field.KEYS, address(pages))
                .set(Field.VALUES, address(pages) + 2 * 16 * HEAD * Float.BYTES)
                .set(Field.BLOCK_TABLE, address(table))
                .set(Field.SEQUENCE, address(sequences))
                .set(Field.POSITION, address(positions))
                .set(Field.BLOCK_FIRST, address(blocks))
                .set(Field.QUERY_STRIDE, 2 * HEAD)
                .set(Field.KEY_STRIDE, HEAD)
                .set(Field.VALUE_STRIDE, HEAD)
                .set(Field.OUTPUT_STRIDE, 2 * HEAD)
                .set(Field.PAGE_STRIDE, 16 * HEAD)
                .set(Field.HEAD_STRIDE, 16 * HEAD)
                .set(Field.BLOCKS, 2)
                .set(Field.KEYS_TRANSPOSED, 1)
                .set(Field.HEADS, 2)
                .set(Field.KV_HEADS, 1)
                .set(Field.HEAD, HEAD)
                .set(Field.WINDOW, -1)
                .set(Field.SCALE, 0.5);
        Native.append(set.address(), address(struct), 0, TOKENS);
        Native.attend(set.address(), address(struct), 0, 3);
        for (int t = 0; t < TOKENS; t++) {
            for (int d = 0; d < 2 * HEAD; d++) {
                double want = attended(query, key, value, t, d / HEAD, d % HEAD);
                float got = at(output, t * 2 * HEAD + d);
                if (!(Math.abs(got - want) <= 1e-5)) {
                    return "token " + t + ", element " + d + " is " + got + ", not " + want;
                }
            }
        }
        return "";
    }

    private static double attended(
            ByteBuffer query, ByteBuffer key, ByteBuffer value, int token, int head, int element) {
        double sum = 0;
        double weighted = 0;
        for (int p = 0; p <= token; p++) {
            double score = 0;
            for (int d = 0; d < HEAD; d++) {
                score += (double) at(query, (token * 2 + head) * HEAD + d) * at(key, p * HEAD + d);
            }
            double weight = Math.exp(score * 0.5);
            sum += weight;
            weighted += weight * at(value, p * HEAD + element);
        }
        return weighted / sum;
    }
}
