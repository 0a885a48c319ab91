package io.kindling.engine.provider;

import io.kindling.engine.ir.DataType;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.ShortBuffer;
import java.util.Arrays;

/**
 * A tensor on a device: element type, shape, and a window of a {@link DeviceBuffer}, row-major and dense. The executor
 * re-targets the tensors it owns between runs, so that a steady state makes no objects; everybody else treats a tensor
 * as a value.
 *
 * <p>Typed views ({@link #floats()} and so on) start at the tensor's first element, hold at least its elements, are cached,
 * and are for absolute access only.
 */
public final class Tensor implements Value, AutoCloseable {
    private DataType type;
    private long[] shape;
    private long elementCount;
    private DeviceBuffer buffer;
    private long byteOffset;
    private String[] strings;

    private ByteBuffer bytes;
    private FloatBuffer floats;
    private DoubleBuffer doubles;
    private LongBuffer longs;
    private IntBuffer ints;
    private ShortBuffer shorts;

    private Tensor() {}

    /** A tensor over a buffer's first bytes. */
    public static Tensor of(DataType type, long[] shape, DeviceBuffer buffer) {
        return of(type, shape, buffer, 0);
    }

    public static Tensor of(DataType type, long[] shape, DeviceBuffer buffer, long byteOffset) {
        Tensor tensor = new Tensor();
        tensor.retarget(type, shape, buffer, byteOffset);
        return tensor;
    }

    /** A string tensor; strings live on the Java heap. */
    public static Tensor ofStrings(long[] shape, String... strings) {
        Tensor tensor = new Tensor();
        tensor.retargetStrings(shape, strings);
        return tensor;
    }

    /** A tensor in fresh host memory that the garbage collector owns: for tests, small constants and callers of a session. */
    public static Tensor allocateHost(DataType type, long... shape) {
        long size = type.byteSize(count(shape));
        return of(type, shape, HostBuffer.of(ByteBuffer.allocateDirect(Math.toIntExact(size)), 0));
    }

    public static Tensor ofFloats(long[] shape, float... values) {
        Tensor tensor = allocateHost(DataType.FLOAT, shape);
        tensor.floats().duplicate().put(values);
        return tensor;
    }

    public static Tensor ofLongs(long[] shape, long... values) {
        Tensor tensor = allocateHost(DataType.INT64, shape);
        tensor.longs().duplicate().put(values);
        return tensor;
    }

    public static Tensor ofInts(long[] shape, int... values) {
        Tensor tensor = allocateHost(DataType.INT32, shape);
        tensor.ints().duplicate().put(values);
        return tensor;
    }

    /** A tensor that the executor has yet to give a type and a place. */
    public static Tensor unplaced() {
        return new Tensor();
    }

    /** For the owner of this tensor alone: points it somewhere else, keeping the views when the window is the same. */
    public void retarget(DataType newType, long[] newShape, DeviceBuffer newBuffer, long newByteOffset) {
        setShape(newShape);
        type = newType;
        strings = null;
        if (buffer != newBuffer || byteOffset != newByteOffset) {
            buffer = newBuffer;
            byteOffset = newByteOffset;
            bytes = null;
            floats = null;
            doubles = null;
            longs = null;
            ints = null;
            shorts = null;
        }
    }

    /** For the owner of this tensor alone. */
    public void retargetStrings(long[] newShape, String[] newStrings) {
        setShape(newShape);
        type = DataType.STRING;
        strings = newStrings;
        buffer = null;
        bytes = null;
        floats = null;
        doubles = null;
        longs = null;
        ints = null;
        shorts = null;
    }

    private void setShape(long[] newShape) {
        if (shape == null || !Arrays.equals(shape, newShape)) {
            shape = newShape.clone();
            elementCount = count(newShape);
        }
    }

    /** Product of dimensions. */
    public static long count(long[] shape) {
        long count = 1;
        for (long dimension : shape) {
            count = Math.multiplyExact(count, dimension);
        }
        return count;
    }

    public DataType type() {
        return type;
    }

    /** The dimensions; shared, never to be changed. */
    public long[] shape() {
        return shape;
    }

    public int rank() {
        return shape.length;
    }

    /** A dimension; negative axes count from the end. */
    public long dim(int axis) {
        return shape[axis < 0 ? axis + shape.length : axis];
    }

    public long elementCount() {
        return elementCount;
    }

    public long byteSize() {
        return type.byteSize(elementCount);
    }

    public DeviceBuffer buffer() {
        return buffer;
    }

    public long byteOffset() {
        return byteOffset;
    }

    /** Device address of the first element. */
    public long address() {
        return buffer.address() + byteOffset;
    }

    /** The elements of a string tensor, row-major. */
    public String[] strings() {
        return strings;
    }

    /** The bytes from the first element to the end of the buffer's window: at least {@link #byteSize()} of them. */
    public ByteBuffer bytes() {
        if (bytes == null) {
            HostBuffer host = (HostBuffer) buffer;
            int offset = Math.toIntExact(byteOffset);
            ByteBuffer whole = host.bytes();
            bytes = whole.slice(offset, whole.capacity() - offset).order(ByteOrder.LITTLE_ENDIAN);
        }
        return bytes;
    }

    public FloatBuffer floats() {
        if (floats == null) {
            floats = bytes().asFloatBuffer();
        }
        return floats;
    }

    public DoubleBuffer doubles() {
        if (doubles == null) {
            doubles = bytes().asDoubleBuffer();
        }
        return doubles;
    }

    public LongBuffer longs() {
        if (longs == null) {
            longs = bytes().asLongBuffer();
        }
        return longs;
    }

    public IntBuffer ints() {
        if (ints == null) {
            ints = bytes().asIntBuffer();
        }
        return ints;
    }

    /** 16-bit storage: INT16, UINT16, FLOAT16, BFLOAT16. */
    public ShortBuffer shorts() {
        if (shorts == null) {
            shorts = bytes().asShortBuffer();
        }
        return shorts;
    }

    /** Gives the buffer back. */
    @Override
    public void close() {
        if (buffer != null) {
            buffer.close();
        }
    }

    @Override
    public String toString() {
        return (type == null ? "unplaced" : type.onnxName()) + Arrays.toString(shape);
    }
}
