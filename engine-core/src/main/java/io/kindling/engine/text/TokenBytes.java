package io.kindling.engine.text;

import io.kindling.engine.text.TokenizerFile.AddedToken;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Map;
import java.util.Optional;

/**
 * The bytes that each token of a byte-level vocabulary stands for.
 *
 * <p>Byte-level vocabularies write bytes as printable characters: 188 bytes as the Latin-1 character of their value, the others,
 * in ascending order, as U+0100 and up (the GPT-2 encoding, OpenAI 2019).
 */
final class TokenBytes {
    private static final int[] BYTE_OF_CHARACTER = byteOfCharacter();

    private final byte[][] bytes;

    private TokenBytes(byte[][] bytes) {
        this.bytes = bytes;
    }

    /** Empty unless tokens are decoded by the byte-level decoder alone. */
    static Optional<TokenBytes> of(TokenizerFile file) {
        if (!file.decoder().path("type").asText().equals("ByteLevel")
                || file.vocabulary().isEmpty()) {
            return Optional.empty();
        }
        int size = file.vocabulary().keySet().stream()
                .mapToInt(Integer::intValue)
                .max()
                .orElse(0);
        size = Math.max(
                        size,
                        file.addedTokens().stream()
                                .mapToInt(AddedToken::id)
                                .max()
                                .orElse(0))
                + 1;
        byte[][] bytes = new byte[size][];
        for (Map.Entry<Integer, String> entry : file.vocabulary().entrySet()) {
            bytes[entry.getKey()] = decode(entry.getValue());
        }
        for (AddedToken token : file.addedTokens()) {
            bytes[token.id()] = decode(token.content());
        }
        return Optional.of(new TokenBytes(bytes));
    }

    /** Nothing for ids outside the vocabulary, as Hugging Face drops them. */
    byte[] of(int id) {
        return id < 0 || id >= bytes.length || bytes[id] == null ? new byte[0] : bytes[id];
    }

    /** Token text with a character outside the encoding stands for itself. */
    private static byte[] decode(String token) {
        byte[] decoded = new byte[token.length()];
        for (int k = 0; k < decoded.length; k++) {
            char c = token.charAt(k);
            if (c >= BYTE_OF_CHARACTER.length || BYTE_OF_CHARACTER[c] < 0) {
                return token.getBytes(StandardCharsets.UTF_8);
            }
            decoded[k] = (byte) BYTE_OF_CHARACTER[c];
        }
        return decoded;
    }

    private static int[] byteOfCharacter() {
        BitSet printable = new BitSet(256);
        printable.set('!', '~' + 1);
        printable.set(0xA1, 0xAC + 1);
        printable.set(0xAE, 0xFF + 1);
        int[] table = new int[256 + 256 - printable.cardinality()];
        Arrays.fill(table, -1);
        int next = 256;
        for (int value = 0; value < 256; value++) {
            table[printable.get(value) ? value : next++] = value;
        }
        return table;
    }
}
