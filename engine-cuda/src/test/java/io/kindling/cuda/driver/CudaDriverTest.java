package io.kindling.cuda.driver;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CudaDriverTest {
    /** A driver that answers from fields; compute capability and memory are those of an H100. */
    private static final class ScriptedDriver implements DriverCalls {
        private int init;
        private int version = 12_040;
        private int count = 2;
        private int totalMemResult;

        @Override
        public int init() {
            return init;
        }

        @Override
        public int driverGetVersion(int[] target) {
            target[0] = version;
            return 0;
        }

        @Override
        public int deviceGetCount(int[] target) {
            target[0] = count;
            return 0;
        }

        @Override
        public int deviceGetName(byte[] name, int device) {
            byte[] text = ("NVIDIA Test " + device).getBytes(StandardCharsets.UTF_8);
            System.arraycopy(text, 0, name, 0, text.length);
            return 0;
        }

        @Override
        public int deviceTotalMem(long[] bytes, int device) {
            bytes[0] = 80L << 30;
            return totalMemResult;
        }

        @Override
        public int deviceGetAttribute(int[] value, int attribute, int device) {
            value[0] = Map.of(75, 9, 76, 0).get(attribute);
            return 0;
        }

        @Override
        public String errorName(int result) {
            return "CUDA_ERROR_" + result;
        }
    }

    private final ScriptedDriver driver = new ScriptedDriver();

    @Test
    void devicesAreFoundWithNameCapabilityMemoryAndDriver() {
        CudaDiscovery found = CudaDriver.discover(() -> driver);

        assertThat(found.isUsable()).isTrue();
        assertThat(found.devices())
                .containsExactly(
                        new CudaDevice(0, "NVIDIA Test 0", 9, 0, 80L << 30),
                        new CudaDevice(1, "NVIDIA Test 1", 9, 0, 80L << 30));
        assertThat(found.description())
                .isEqualTo("device 0: NVIDIA Test 0, compute capability 9.0, 80.0 GiB; device 1: NVIDIA Test 1,"
                        + " compute capability 9.0, 80.0 GiB (driver for CUDA 12.4)");
    }

    @Test
    void aDriverBeforeCuda12IsTooOld() {
        driver.version = 11_080;
        assertThat(CudaDriver.discover(() -> driver))
                .isEqualTo(CudaDiscovery.failed(
                        "11.8", "the driver is too old: it knows CUDA 11.8, 12.0 (driver R525) is needed"));
    }

    @Test
    void noDeviceIsSaidWithItsLikelyReason() {
        driver.init = 100;
        assertThat(CudaDriver.discover(() -> driver).problem())
                .isEqualTo("the driver finds no device (CUDA_ERROR_NO_DEVICE)");
        driver.init = 0;
        driver.count = 0;
        assertThat(CudaDriver.discover(() -> driver).problem())
                .isEqualTo("the driver shows no device; CUDA_VISIBLE_DEVICES may hide those there are");
    }

    @Test
    void aFailedCallIsNamedWithItsError() {
        driver.totalMemResult = 999;
        assertThat(CudaDriver.discover(() -> driver).problem())
                .isEqualTo("cuDeviceTotalMem failed with CUDA_ERROR_999");
    }

    @Test
    void aMissingDriverLibraryIsToldApartFromAMissingBinding() {
        assertThat(problemOfLinkError("Error while loading\nno JCudaDriver-1 in java.library.path\n"
                        + "/tmp/libJCudaDriver.so: libcuda.so.1: cannot open shared object file: No such file"))
                .isEqualTo("libcuda.so.1 is not installed: it comes with NVIDIA's driver");
        assertThat(problemOfLinkError("Error while loading\nno JCudaDriver-1 in java.library.path\nNo resource found"))
                .matches("JCuda's native library for .+ is not in the jar");
        assertThat(problemOfLinkError("wrong ELF class\nmore"))
                .matches("JCuda's native library for .+ does not load: wrong ELF class");
    }

    private static String problemOfLinkError(String message) {
        return CudaDriver.discover(() -> {
                    throw new UnsatisfiedLinkError(message);
                })
                .problem();
    }
}
