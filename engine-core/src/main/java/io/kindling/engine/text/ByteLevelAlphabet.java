package io.kindling.engine.text;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.BitSet;

/**
 * The characters that byte-level vocabularies write bytes as: 188 bytes as the Latin-1 character of their value, the others, in
 * ascending order, as U+0100 and up (the GPT-2 encoding, OpenAI 2019).
 */
final class ByteLevelAlphabet {
    private static final int[] BYTE_OF_CHARACTER = byteOfCharacter();

    private ByteLevelAlphabet() {}

    /** The bytes that a token stands for; one with a character outside the alphabet stands for itself. */
    static byte[] bytes(String token) {
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
