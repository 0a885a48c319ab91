package io.kindling.cuda;

import io.kindling.cuda.driver.CudaDiscovery;
import io.kindling.cuda.driver.CudaDriver;
import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import io.kindling.engine.provider.Provider;
import io.kindling.engine.provider.ProviderFactory;
import io.kindling.engine.provider.ProviderOptions;

/** Finds CUDA devices. It refuses to open one, since this version has no CUDA kernels. */
public final class CudaProviderFactory implements ProviderFactory {
    @Override
    public String deviceKind() {
        return "cuda";
    }

    @Override
    public String unavailableReason() {
        return reason(CudaDriver.discovery());
    }

    /** @throws KindlingException DEVICE_UNAVAILABLE always, with what discovery found */
    @Override
    public Provider open(ProviderOptions options) {
        throw new KindlingException(ErrorCode.DEVICE_UNAVAILABLE, unavailableReason());
    }

    static String reason(CudaDiscovery discovery) {
        return discovery.isUsable()
                ? "the CUDA provider's kernels are not part of this version; found " + discovery.description()
                : "CUDA is not available: " + discovery.description();
    }
}
