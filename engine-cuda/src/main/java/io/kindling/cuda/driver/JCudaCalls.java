package io.kindling.cuda.driver;

import jcuda.driver.CUdevice;
import jcuda.driver.JCudaDriver;

/** {@link DriverCalls} through JCuda, made by {@link JCudaLoader}. Making one loads JCuda's native library, which needs {@code libcuda.so.1}. */
public final class JCudaCalls implements DriverCalls {
    /** @throws LinkageError when the library or the driver is missing */
    public JCudaCalls() {
        JCudaDriver.setExceptionsEnabled(false);
    }

    @Override
    public int init() {
        return JCudaDriver.cuInit(0);
    }

    @Override
    public int driverGetVersion(int[] version) {
        return JCudaDriver.cuDriverGetVersion(version);
    }

    @Override
    public int deviceGetCount(int[] count) {
        return JCudaDriver.cuDeviceGetCount(count);
    }

    @Override
    public int deviceGetName(byte[] name, int device) {
        return JCudaDriver.cuDeviceGetName(name, name.length, handle(device));
    }

    @Override
    public int deviceTotalMem(long[] bytes, int device) {
        return JCudaDriver.cuDeviceTotalMem(bytes, handle(device));
    }

    @Override
    public int deviceGetAttribute(int[] value, int attribute, int device) {
        return JCudaDriver.cuDeviceGetAttribute(value, attribute, handle(device));
    }

    @Override
    public String errorName(int result) {
        String[] name = new String[1];
        JCudaDriver.cuGetErrorName(result, name);
        return name[0] == null ? "CUresult " + result : name[0];
    }

    private static CUdevice handle(int device) {
        CUdevice handle = new CUdevice();
        JCudaDriver.cuDeviceGet(handle, device);
        return handle;
    }
}
