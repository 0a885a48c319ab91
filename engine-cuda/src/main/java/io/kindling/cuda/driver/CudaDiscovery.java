package io.kindling.cuda.driver;

import java.util.List;
import java.util.stream.Collectors;

/**
 * What a look at the CUDA driver found.
 *
 * @param driverVersion newest CUDA version the driver knows, such as {@code 12.4}; empty when no driver answered
 * @param devices usable devices; empty when there is a problem
 * @param problem why no device can be used; empty when one can
 */
public record CudaDiscovery(String driverVersion, List<CudaDevice> devices, String problem) {
    public CudaDiscovery {
        devices = List.copyOf(devices);
    }

    static CudaDiscovery failed(String driverVersion, String problem) {
        return new CudaDiscovery(driverVersion, List.of(), problem);
    }

    public boolean isUsable() {
        return problem.isEmpty();
    }

    /** In words: the devices, or the problem. */
    public String description() {
        return isUsable()
                ? devices.stream().map(CudaDevice::toString).collect(Collectors.joining("; ")) + " (driver for CUDA "
                        + driverVersion + ")"
                : problem;
    }
}
