package io.kindling.engine.text;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;

/**
 * UTF-8 that comes in pieces. Malformed bytes become U+FFFD, one for each maximal part of a character (The Unicode Standard,
 * section 3.9, "U+FFFD Substitution of Maximal Subparts"), as in the tokenizers library.
 */
final class LossyUtf8 {
    private static final char REPLACEMENT = '\uFFFD';

    private byte[] held = new byte[0];

    LossyUtf8() {}

    private LossyUtf8(byte[] held) {
        this.held = held;
    }

    /** The characters that these bytes complete. */
    String add(byte[] more) {
        byte[] bytes = Arrays.copyOf(held, held.length + more.length);
        System.arraycopy(more, 0, bytes, held.length, more.length);
        StringBuilder text = new StringBuilder(bytes.length);
        int at = 0;
        while (at < bytes.length) {
            int width = width(bytes[at]);
            int valid = validPart(bytes, at, width);
            if (valid < width && at + valid == bytes.length) {
                break;
            }
            if (valid == width && width > 0) {
                text.appendCodePoint(codePoint(bytes, at, width));
                at += width;
            } else {
                text.append(REPLACEMENT);
                at += Math.max(1, valid);
            }
        }
        held = Arrays.copyOfRange(bytes, at, bytes.length);
        return text.toString();
    }

    /** Whether the last bytes are the beginning of a character. */
    boolean isUnfinished() {
        return held.length > 0;
    }

    /** What an unfinished character becomes when nothing follows. */
    String end() {
        boolean unfinished = isUnfinished();
        held = new byte[0];
        return unfinished ? String.valueOf(REPLACEMENT) : "";
    }

    LossyUtf8 copy() {
        return new LossyUtf8(held);
    }

    /** The text of well-formed bytes, else nothing. */
    static Optional<String> strict(byte[] bytes, int length) {
        try {
            CharBuffer text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes, 0, length));
            return Optional.of(text.toString());
        } catch (CharacterCodingException malformed) {
            return Optional.empty();
        }
    }

    /** How many bytes at the end are the beginning of a character that is not complete. */
    static int unfinished(byte[] bytes, int length) {
        for (int count = 1; count <= Math.min(3, length); count++) {
            int at = length - count;
            int width = width(bytes[at]);
            if (width > count && validPart(Arrays.copyOf(bytes, length), at, width) == count) {
                return count;
            }
        }
        return 0;
    }

    /** Bytes of the character that begins so; 0 when none does. */
    private static int width(byte lead) {
        int value = lead & 0xFF;
        if (value < 0x80) {
            return 1;
        }
        if (value < 0xC2 || value > 0xF4) {
            return 0;
        }
        return value < 0xE0 ? 2 : value < 0xF0 ? 3 : 4;
    }

    /** How many of the character's bytes are there and well-formed. */
    private static int validPart(byte[] bytes, int at, int width) {
        int valid = Math.min(1, width);
        while (valid < width && at + valid < bytes.length) {
            int value = bytes[at + valid] & 0xFF;
            int lead = bytes[at] & 0xFF;
            int lowest = valid > 1 ? 0x80 : lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
            int highest = valid > 1 ? 0xBF : lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
            if (value < lowest || value > highest) {
                break;
            }
            valid++;
        }
        return valid;
    }

    private static int codePoint(byte[] bytes, int at, int width) {
        int lead = bytes[at] & 0xFF;
        int value = width == 1 ? lead : lead & (0x7F >> width);
        for (int k = 1; k < width; k++) {
            value = value << 6 | bytes[at + k] & 0x3F;
        }
        return value;
    }
}
