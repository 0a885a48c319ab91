package io.kindling.engine.ir;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** ONNX element types, with the codes of {@code TensorProto.DataType} and their storage width. */
public enum DataType {
    FLOAT(1, 32),
    UINT8(2, 8),
    INT8(3, 8),
    UINT16(4, 16),
    INT16(5, 16),
    INT32(6, 32),
    INT64(7, 64),
    STRING(8, 0),
    BOOL(9, 8),
    FLOAT16(10, 16),
    DOUBLE(11, 64),
    UINT32(12, 32),
    UINT64(13, 64),
    COMPLEX64(14, 64),
    COMPLEX128(15, 128),
    BFLOAT16(16, 16),
    FLOAT8E4M3FN(17, 8),
    FLOAT8E4M3FNUZ(18, 8),
    FLOAT8E5M2(19, 8),
    FLOAT8E5M2FNUZ(20, 8),
    UINT4(21, 4),
    INT4(22, 4),
    FLOAT4E2M1(23, 4),
    FLOAT8E8M0(24, 8),
    UINT2(25, 2),
    INT2(26, 2),
    FLOAT6E2M3(27, 6),
    FLOAT6E3M2(28, 6);

    private static final Map<Integer, DataType> BY_CODE = new HashMap<>();

    static {
        for (DataType type : values()) {
            BY_CODE.put(type.code, type);
        }
    }

    private final int code;
    private final int bits;

    DataType(int code, int bits) {
        this.code = code;
        this.bits = bits;
    }

    public static Optional<DataType> ofCode(int code) {
        return Optional.ofNullable(BY_CODE.get(code));
    }

    /** The value of {@code TensorProto.DataType}. */
    public int code() {
        return code;
    }

    /** Bits of one element in storage; 0 for strings, which have no fixed width. */
    public int bits() {
        return bits;
    }

    /** Bytes that {@code elements} take, packed types rounded up to a whole byte. Overflow throws ArithmeticException. */
    public long byteSize(long elements) {
        return bits >= 8
                ? Math.multiplyExact(elements, bits / 8)
                : Math.addExact(Math.multiplyExact(elements, bits), 7) / 8;
    }

    public boolean isFloatingPoint() {
        return switch (this) {
            case FLOAT,
                    DOUBLE,
                    FLOAT16,
                    BFLOAT16,
                    FLOAT8E4M3FN,
                    FLOAT8E4M3FNUZ,
                    FLOAT8E5M2,
                    FLOAT8E5M2FNUZ,
                    FLOAT4E2M1,
                    FLOAT6E2M3,
                    FLOAT6E3M2,
                    FLOAT8E8M0 -> true;
            default -> false;
        };
    }

    /** The spelling ONNX documents use, such as {@code float16} or {@code int64}. */
    public String onnxName() {
        return name().toLowerCase(java.util.Locale.ROOT);
    }
}
