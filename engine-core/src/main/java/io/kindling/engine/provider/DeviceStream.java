package io.kindling.engine.provider;

/**
 * An ordered queue of device work. Kernels enqueue on it and return; results may be read after {@link #synchronize()}.
 * On the CPU work is done when the call returns.
 */
public interface DeviceStream extends AutoCloseable {
    void synchronize();

    /** Copies host bytes to the device, in stream order. */
    void upload(HostBuffer source, long sourceOffset, DeviceBuffer target, long targetOffset, long byteCount);

    /** Copies device bytes to the host; the bytes are there after {@link #synchronize()}. */
    void download(DeviceBuffer source, long sourceOffset, HostBuffer target, long targetOffset, long byteCount);

    /** Copies within the device, in stream order. */
    void copy(DeviceBuffer source, long sourceOffset, DeviceBuffer target, long targetOffset, long byteCount);

    /** The calling thread begins to enqueue a whole graph, so that the device can share out its cores; {@link #endRun} follows. */
    default void beginRun() {}

    default void endRun() {}

    /** Starts recording what is enqueued instead of running it; false where the device has no capture. */
    default boolean beginCapture() {
        return false;
    }

    /** Ends recording; the result replays it. */
    default CapturedGraph endCapture() {
        throw new IllegalStateException("this stream does not capture");
    }

    @Override
    void close();

    /** A recorded stretch of work, bound to the buffers it was recorded with. */
    interface CapturedGraph extends AutoCloseable {
        void replay(DeviceStream stream);

        @Override
        void close();
    }
}
