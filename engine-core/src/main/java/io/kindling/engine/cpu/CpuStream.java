package io.kindling.engine.cpu;

import io.kindling.engine.provider.DeviceBuffer;
import io.kindling.engine.provider.DeviceStream;
import io.kindling.engine.provider.HostBuffer;

/** Work on the CPU is done when the call returns, so a stream only copies. */
final class CpuStream implements DeviceStream {
    private final KernelPool pool;

    CpuStream(KernelPool pool) {
        this.pool = pool;
    }

    @Override
    public void beginRun() {
        pool.enter();
    }

    @Override
    public void endRun() {
        pool.leave();
    }

    @Override
    public void synchronize() {}

    @Override
    public void upload(HostBuffer source, long sourceOffset, DeviceBuffer target, long targetOffset, long byteCount) {
        copy(source, sourceOffset, target, targetOffset, byteCount);
    }

    @Override
    public void download(DeviceBuffer source, long sourceOffset, HostBuffer target, long targetOffset, long byteCount) {
        copy(source, sourceOffset, target, targetOffset, byteCount);
    }

    @Override
    public void copy(DeviceBuffer source, long sourceOffset, DeviceBuffer target, long targetOffset, long byteCount) {
        HostBuffer from = (HostBuffer) source;
        HostBuffer to = (HostBuffer) target;
        to.bytes()
                .put(
                        Math.toIntExact(targetOffset),
                        from.bytes(),
                        Math.toIntExact(sourceOffset),
                        Math.toIntExact(byteCount));
    }

    @Override
    public void close() {}
}
