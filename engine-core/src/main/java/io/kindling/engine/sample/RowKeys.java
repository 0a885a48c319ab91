package io.kindling.engine.sample;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** Keys of random streams for rows that have none: the first eight bytes, big-endian, of the prompt's SHA-256. */
public final class RowKeys {
    private RowKeys() {}

    /** From the rendered prompt, as UTF-8. */
    public static long of(String prompt) {
        return digest(prompt.getBytes(StandardCharsets.UTF_8));
    }

    /** From a prompt of token ids, as big-endian 32-bit numbers. */
    public static long of(int[] ids) {
        ByteBuffer bytes = ByteBuffer.allocate(Math.multiplyExact(ids.length, Integer.BYTES));
        bytes.asIntBuffer().put(ids);
        return digest(bytes.array());
    }

    private static long digest(byte[] bytes) {
        try {
            return ByteBuffer.wrap(MessageDigest.getInstance("SHA-256").digest(bytes))
                    .getLong();
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("every Java platform has SHA-256", impossible);
        }
    }
}
