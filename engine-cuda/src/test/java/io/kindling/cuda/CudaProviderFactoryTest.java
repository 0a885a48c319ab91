package io.kindling.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kindling.cuda.driver.CudaDevice;
import io.kindling.cuda.driver.CudaDiscovery;
import io.kindling.cuda.driver.CudaDriver;
import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import io.kindling.engine.provider.ProviderFactory;
import io.kindling.engine.provider.ProviderOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;

class CudaProviderFactoryTest {
    @Test
    void itIsFoundAsAService() {
        assertThat(ServiceLoader.load(ProviderFactory.class))
                .filteredOn(factory -> factory.deviceKind().equals("cuda"))
                .hasExactlyElementsOfTypes(CudaProviderFactory.class);
    }

    @Test
    void openingFailsWithWhatDiscoveryFoundOnThisMachine() {
        CudaProviderFactory factory = new CudaProviderFactory();

        assertThatThrownBy(() -> factory.open(ProviderOptions.defaults()))
                .isInstanceOfSatisfying(KindlingException.class, refused -> assertThat(refused.code())
                        .isEqualTo(ErrorCode.DEVICE_UNAVAILABLE))
                .hasMessage(factory.unavailableReason());
        assertThat(factory.unavailableReason())
                .startsWith(
                        CudaDriver.discovery().isUsable()
                                ? "the CUDA provider's kernels are not part of this version; found device 0: "
                                : "CUDA is not available: ");
    }

    @Test
    void aMachineWithoutDriverFilesSaysThatLibcudaIsMissing() {
        boolean driverFiles = Files.exists(Path.of("/proc/driver/nvidia")) || Files.exists(Path.of("/dev/dxg"));
        boolean linuxOnX86 = System.getProperty("os.name").equals("Linux")
                && System.getProperty("os.arch").equals("amd64");
        org.assertj.core.api.Assumptions.assumeThat(linuxOnX86 && !driverFiles).isTrue();

        assertThat(new CudaProviderFactory().unavailableReason())
                .isEqualTo("CUDA is not available: libcuda.so.1 is not installed: it comes with NVIDIA's driver");
    }

    @Test
    void aUsableDeviceIsNamedInTheRefusal() {
        CudaDiscovery found = new CudaDiscovery("12.4", List.of(new CudaDevice(0, "NVIDIA T4", 7, 5, 16L << 30)), "");
        assertThat(CudaProviderFactory.reason(found))
                .isEqualTo(
                        "the CUDA provider's kernels are not part of this version; found device 0: NVIDIA T4, compute"
                                + " capability 7.5, 16.0 GiB (driver for CUDA 12.4)");
    }
}
