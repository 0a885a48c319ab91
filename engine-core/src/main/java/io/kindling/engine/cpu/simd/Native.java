package io.kindling.engine.cpu.simd;

import java.nio.ByteBuffer;

/**
 * The native methods, all of them; {@code jni.c} is their other side. Addresses and sizes are taken as they are: callers
 * check. A {@code set} is what {@link #kernelSet} answered, a {@code format} the address of an {@link NBitsFormat}.
 */
final class Native {
    private Native() {}

    /** The kernels of an instruction set, 0 being the plainest; 0 past the last that this processor runs. */
    static native long kernelSet(int rank);

    static native String levelOf(long set);

    /** Address of a direct buffer's byte 0, whatever its position. */
    static native long directAddress(ByteBuffer buffer);

    /** A buffer over memory that stays the caller's; big-endian, as all fresh buffers. */
    static native ByteBuffer directBuffer(long address, long byteSize);

    /** Memory aligned to 64, or 0. */
    static native long allocate(long byteSize);

    static native void free(long address);

    /** Maps a file, read-only. Not positive: minus the errno, 1 where this platform's library cannot map. */
    static native long map(long pathAddress, long offset, long byteSize);

    static native void unmap(long address, long byteSize);

    static native long nbitsTileBytes(long format);

    /** Whether all values are exactly float16. */
    static native boolean nbitsFitHalf(long values, long count);

    /** Packs tiles {@code from} to {@code to − 1} of 16 columns; {@code zeros} may be 0. */
    static native void nbitsPack(
            long format,
            long codes,
            long scales,
            int scalesAreHalf,
            long zeros,
            int blockSize,
            long target,
            int from,
            int to);

    /** Rows {@code from} to {@code to − 1} to bytes, laid out in groups of {@link NBitsFormat#GROUP} rows. */
    static native void nbitsQuantise(
            long set, long values, long k, int step, long codes, long scales, long sums, int from, int to);

    /** Quantised rows times tiles {@code from} to {@code to − 1}; {@code bias} may be 0. */
    static native void nbitsBytes(
            long set,
            long format,
            long weights,
            long codes,
            long scales,
            long sums,
            long bias,
            long y,
            long rows,
            int from,
            int to);

    /** Float rows times tiles {@code from} to {@code to − 1}; {@code bias} may be 0. */
    static native void nbitsFloats(
            long set, long format, long weights, long values, long bias, long y, long rows, int from, int to);

    /** Rotates and stores tokens {@code from} to {@code to − 1} of an {@link AttentionJob}. */
    static native void append(long set, long job, int from, int to);

    /** Attends for parts {@code from} to {@code to − 1}: block {@code part / kvHeads}, kv head {@code part % kvHeads}. */
    static native void attend(long set, long job, int from, int to);

    /** RMS normalisation of rows; {@code skip}, {@code bias} and {@code sum} may be 0. */
    static native void rmsNorm(
            long set,
            long x,
            long skip,
            long bias,
            long scale,
            long sum,
            long y,
            int size,
            float epsilon,
            int from,
            int to);

    /** Layer normalisation of rows; {@code skip}, {@code bias}, {@code shift} and {@code sum} may be 0. */
    static native void layerNorm(
            long set,
            long x,
            long skip,
            long bias,
            long scale,
            long shift,
            long sum,
            long y,
            int size,
            float epsilon,
            int from,
            int to);

    /** Softmax of rows {@code from} to {@code to − 1}. */
    static native void softmax(long set, long x, long y, int size, int from, int to);

    /** Stretches {@code from} to {@code to − 1} of operands that meet as a {@link BroadcastJob} says. */
    static native void broadcast(long set, int op, long job, long a, long b, long y, long from, long to);

    /** Elements {@code from} to {@code to − 1}; {@code op} is an ordinal of {@link NativeElementwise.Op}, {@code b} may be 0. */
    static native void elementwise(long set, int op, long a, long b, long y, long from, long to);

    /** Packs panels {@code from} to {@code to − 1} of 16 columns of B, as a {@link GemmJob} describes it. */
    static native void gemmPack(long set, long job, long b, long target, long from, long to);

    /** Rows {@code rowFrom} to {@code rowTo − 1}, panels {@code from} to {@code to − 1} of the product of a {@link GemmJob}. */
    static native void gemm(long set, long job, long a, long b, long c, long rowFrom, long rowTo, long from, long to);

    /**
     * Heads {@code from} to {@code to − 1} of a {@link HeadsJob}, those of a sequence side by side.
     *
     * @param scratch floats for one row of keys, and for as many more as queries are taken at once
     */
    static native void heads(long set, long job, long scratch, long from, long to);

    /** Elements {@code from} to {@code to − 1}; {@code kind} is an ordinal of {@link Activation.Kind}. */
    static native void activate(long set, int kind, float alpha, float beta, long x, long y, long from, long to);

    /**
     * Parts {@code from} to {@code to − 1} of the convolution of a {@link WindowJob}.
     *
     * @param scratch room for the columns of one part
     */
    static native void conv(long set, long job, long scratch, long from, long to);

    /**
     * Planes {@code from} to {@code to − 1} of the results of a {@link WindowJob}.
     *
     * @param scratch {@link WindowJob#paddedBytes} bytes
     */
    static native void planes(long set, long job, long scratch, long from, long to);

    /**
     * Planes {@code from} to {@code to − 1} of a transposed convolution of one image and group, as a {@link WindowJob} describes it.
     *
     * @param given {@code [filters, taps, places]}; {@code bias} may be 0
     */
    static native void spread(long set, long job, long given, long y, long bias, long from, long to);

    /** Means of rows {@code from} to {@code to − 1}. */
    static native void means(long set, long x, long y, long size, long from, long to);

    /** Smallest and largest of elements {@code from} to {@code to − 1} and 0, two floats; both NaN where one of them is. */
    static native void range(long set, long x, long result, long from, long to);

    /** Floats to bytes, lines {@code from} to {@code to − 1} of a {@link QuantizeJob}. */
    static native void quantize(long set, long job, long x, long y, long from, long to);

    /** Bytes to floats, lines {@code from} to {@code to − 1} of a {@link QuantizeJob}. */
    static native void dequantize(long set, long job, long x, long y, long from, long to);

    /**
     * Lays out rows {@code from} to {@code to − 1} of a matrix of bytes as the left operand of {@link #integer}.
     *
     * @param row bytes from one row to the next; {@code column} alike
     * @param turned for unsigned bytes
     */
    static native void integerRows(
            long set, long values, long row, long column, boolean turned, long k, long target, long from, long to);

    /**
     * Lays out panels {@code from} to {@code to − 1} of a matrix of bytes as the right operand of {@link #integer}.
     *
     * @param turned for signed bytes
     */
    static native void integerPack(
            long set,
            long values,
            long row,
            long column,
            boolean turned,
            long k,
            long n,
            long target,
            long from,
            long to);

    /** Rows {@code rowFrom} to {@code rowTo − 1}, panels {@code from} to {@code to − 1} of the product of an {@link IntegerJob}. */
    static native void integer(
            long set, long job, long a, long b, long c, long rowFrom, long rowTo, long from, long to);

    /**
     * Parts {@code from} to {@code to − 1} of the convolution of bytes of a {@link WindowJob}.
     *
     * @param product {@link IntegerJob} of all filters
     * @param scratch room for the panels of one part, and for {@link GemmJob#PANEL} bytes for each k
     */
    static native void integerConv(long set, long job, long product, long scratch, long from, long to);
}
