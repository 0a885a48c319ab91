package io.kindling.engine.gguf;

import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.ModelException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** Reads the header of a GGUF file field by field; nothing is read beyond its end, and every error names field and offset. */
final class GgufCursor {
    private final String source;
    private final ByteBuffer bytes;

    /** @param bytes little-endian, from the start of the file */
    GgufCursor(String source, ByteBuffer bytes) {
        this.source = source;
        this.bytes = bytes;
    }

    int position() {
        return bytes.position();
    }

    int remaining() {
        return bytes.remaining();
    }

    byte int8(String field) {
        need(1, field);
        return bytes.get();
    }

    short int16(String field) {
        need(2, field);
        return bytes.getShort();
    }

    int int32(String field) {
        need(4, field);
        return bytes.getInt();
    }

    long uint32(String field) {
        return Integer.toUnsignedLong(int32(field));
    }

    long int64(String field) {
        need(8, field);
        return bytes.getLong();
    }

    /** An unsigned 64-bit number up to {@code maximum}. */
    long uint64(String field, long maximum) {
        int at = position();
        long value = int64(field);
        if (value < 0 || value > maximum) {
            throw invalid(at, field, "is " + Long.toUnsignedString(value) + ", expected at most " + maximum);
        }
        return value;
    }

    float float32(String field) {
        return Float.intBitsToFloat(int32(field));
    }

    double float64(String field) {
        return Double.longBitsToDouble(int64(field));
    }

    boolean bool(String field) {
        int at = position();
        byte value = int8(field);
        if (value != 0 && value != 1) {
            throw invalid(at, field, "is " + value + ", expected 0 or 1 for a bool");
        }
        return value == 1;
    }

    /** A string: its length in bytes as 64 bits, then UTF-8. */
    String string(String field, int maximum) {
        int at = position();
        long length = uint64(field + " length", maximum);
        need(length, field);
        ByteBuffer text = bytes.slice(position(), (int) length);
        bytes.position(position() + (int) length);
        try {
            CharBuffer decoded = StandardCharsets.UTF_8.newDecoder().decode(text);
            return decoded.toString();
        } catch (CharacterCodingException fault) {
            throw invalid(at, field, "is not valid UTF-8");
        }
    }

    private void need(long count, String field) {
        if (count > bytes.remaining()) {
            throw invalid(
                    position(),
                    field,
                    "needs " + count + " bytes, but only " + bytes.remaining() + " are left; the file is cut off");
        }
    }

    ModelException invalid(long offset, String field, String problem) {
        return new ModelException(ErrorCode.MODEL_INVALID, source, field + " at offset " + offset, problem);
    }
}
