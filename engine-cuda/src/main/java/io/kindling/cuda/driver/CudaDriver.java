package io.kindling.cuda.driver;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Looks for CUDA devices through the driver API; needs no CUDA toolkit. */
public final class CudaDriver {
    /** Drivers from R525 on know CUDA 12.0, whose PTX our kernels are compiled to. */
    private static final int OLDEST_CUDA = 12_000;

    private static final int COMPUTE_CAPABILITY_MAJOR = 75;
    private static final int COMPUTE_CAPABILITY_MINOR = 76;
    private static final int ERROR_NO_DEVICE = 100;

    private CudaDriver() {}

    /** Asked once a process: a failed load of the native library cannot be tried again. */
    private static final class Once {
        private static final CudaDiscovery DISCOVERY = discover(JCudaLoader::load);
    }

    /** What this process finds; never throws for a machine without CUDA. */
    public static CudaDiscovery discovery() {
        return Once.DISCOVERY;
    }

    static CudaDiscovery discover(Supplier<DriverCalls> loader) {
        DriverCalls driver;
        try {
            driver = loader.get();
        } catch (LinkageError unloadable) {
            return CudaDiscovery.failed("", linkProblem(unloadable));
        }
        try {
            return ask(driver);
        } catch (RefusedCall refused) {
            return CudaDiscovery.failed("", refused.getMessage());
        }
    }

    private static CudaDiscovery ask(DriverCalls driver) throws RefusedCall {
        int result = driver.init();
        if (result == ERROR_NO_DEVICE) {
            return CudaDiscovery.failed("", "the driver finds no device (CUDA_ERROR_NO_DEVICE)");
        }
        check(driver, "cuInit", result);
        int[] number = new int[1];
        check(driver, "cuDriverGetVersion", driver.driverGetVersion(number));
        String version = number[0] / 1000 + "." + number[0] % 1000 / 10;
        if (number[0] < OLDEST_CUDA) {
            return CudaDiscovery.failed(
                    version, "the driver is too old: it knows CUDA " + version + ", 12.0 (driver R525) is needed");
        }
        check(driver, "cuDeviceGetCount", driver.deviceGetCount(number));
        if (number[0] == 0) {
            return CudaDiscovery.failed(
                    version, "the driver shows no device; CUDA_VISIBLE_DEVICES may hide those there are");
        }
        List<CudaDevice> devices = new ArrayList<>();
        for (int index = 0, count = number[0]; index < count; index++) {
            devices.add(device(driver, index));
        }
        return new CudaDiscovery(version, devices, "");
    }

    private static CudaDevice device(DriverCalls driver, int index) throws RefusedCall {
        byte[] name = new byte[256];
        check(driver, "cuDeviceGetName", driver.deviceGetName(name, index));
        int length = 0;
        while (length < name.length && name[length] != 0) {
            length++;
        }
        long[] bytes = new long[1];
        check(driver, "cuDeviceTotalMem", driver.deviceTotalMem(bytes, index));
        return new CudaDevice(
                index,
                new String(name, 0, length, StandardCharsets.UTF_8),
                attribute(driver, COMPUTE_CAPABILITY_MAJOR, index),
                attribute(driver, COMPUTE_CAPABILITY_MINOR, index),
                bytes[0]);
    }

    private static int attribute(DriverCalls driver, int attribute, int index) throws RefusedCall {
        int[] value = new int[1];
        check(driver, "cuDeviceGetAttribute", driver.deviceGetAttribute(value, attribute, index));
        return value[0];
    }

    private static void check(DriverCalls driver, String call, int result) throws RefusedCall {
        if (result != 0) {
            throw new RefusedCall(call + " failed with " + driver.errorName(result));
        }
    }

    private static final class RefusedCall extends Exception {
        private RefusedCall(String message) {
            super(message);
        }
    }

    /** JCuda reports nested stack traces in one message; what users need of it is which file is missing. */
    private static String linkProblem(LinkageError unloadable) {
        String message = String.valueOf(unloadable.getMessage());
        if (message.contains("libcuda.so.1: cannot open shared object file")) {
            return "libcuda.so.1 is not installed: it comes with NVIDIA's driver";
        }
        String platform = System.getProperty("os.name") + " " + System.getProperty("os.arch");
        if (message.contains("No resource found") || message.contains("no JCudaDriver")) {
            return "JCuda's native library for " + platform + " is not in the jar";
        }
        return "JCuda's native library for " + platform + " does not load: "
                + message.lines().findFirst().orElse("");
    }
}
