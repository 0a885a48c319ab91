package io.kindling.engine.cpu.simd;

import io.kindling.engine.ir.DataType;
import io.kindling.engine.provider.Tensor;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Writes one product of bytes where C can read it: {@code integer_job} of {@code integer.h}. */
final class IntegerJob {
    /** Fields in C's order, 64 bits each. */
    enum Field {
        K,
        N,
        FORM,
        SIGNED_A,
        SIGNED_B,
        ZERO_A,
        ZERO_A_ROW,
        ZERO_B,
        ZERO_B_COLUMN,
        ADDEND,
        ADDEND_ROW,
        ADDEND_COLUMN,
        SCALE_A,
        SCALE_B,
        SCALE_B_COLUMN,
        BIAS,
        RATIOS,
        RATIOS_ROW,
        RATIOS_COLUMN,
        TARGET_SCALE,
        TARGET_ZERO,
        TARGET_SIGNED,
        C_ROW
    }

    /** What becomes of a sum, in the order of {@code integer.h}. */
    enum Form {
        SUMS,
        FLOATS,
        CODES,
        RATIOS
    }

    /** Room for all fields, in whole cache lines. */
    static final int BYTE_SIZE = (Field.values().length * Long.BYTES + 63) / 64 * 64;

    /** Rows of A that C may read behind the last. */
    static final int ROWS_BEHIND = 31;

    private static final int STEP = 64;
    private static final int HEAD = 64;

    private final ByteBuffer struct;

    /** @param struct at least {@link #BYTE_SIZE} bytes; fields that are not set are 0 */
    IntegerJob(ByteBuffer struct) {
        this.struct = struct.order(ByteOrder.nativeOrder());
        for (Field field : Field.values()) {
            set(field, 0);
        }
    }

    IntegerJob set(Field field, long value) {
        struct.putLong(field.ordinal() * Long.BYTES, value);
        return this;
    }

    IntegerJob set(Field field, double value) {
        struct.putDouble(field.ordinal() * Long.BYTES, value);
        return this;
    }

    IntegerJob set(Field field, boolean value) {
        return set(field, value ? 1 : 0);
    }

    IntegerJob form(Form form) {
        return set(Field.FORM, form.ordinal());
    }

    /** Writes one byte behind the fields: a zero point that no tensor holds. */
    IntegerJob putZero(int zero) {
        struct.put(BYTE_SIZE, (byte) zero);
        return this;
    }

    /**
     * What results are quantised to.
     *
     * @param zero null where it is 0
     */
    DataType target(DataType type, Tensor zero) {
        boolean signed = type == DataType.INT8;
        int value = zero == null ? 0 : zero.bytes().get(0);
        set(Field.TARGET_SIGNED, signed).set(Field.TARGET_ZERO, signed ? value : value & 0xff);
        return type;
    }

    private static long depth(long k) {
        return (k + STEP - 1) / STEP * STEP;
    }

    /** Bytes of a row of A as it is laid out. */
    static long rowBytes(long k) {
        return HEAD + depth(k);
    }

    /** Bytes of A as it is laid out. */
    static long rowsBytes(long k, long rows) {
        return Math.multiplyExact(rowBytes(k), rows + ROWS_BEHIND);
    }

    /** Bytes of a matrix {@code [k, n]} as B is laid out. */
    static long packedBytes(long k, long n) {
        return Math.multiplyExact(HEAD + depth(k) * GemmJob.PANEL, GemmJob.panels(n));
    }
}
