package io.kindling.engine.cpu;

import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import io.kindling.engine.provider.Provider;
import io.kindling.engine.provider.ProviderFactory;
import io.kindling.engine.provider.ProviderOptions;
import io.kindling.engine.provider.ProviderOptions.Kernels;
import java.util.Optional;
import java.util.ServiceLoader;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Opens the CPU: always available; native kernels where the library loads, else Java ones and one log line that says so. */
public final class CpuProviderFactory implements ProviderFactory {
    private static final Logger LOG = LoggerFactory.getLogger(CpuProviderFactory.class);

    @Override
    public String deviceKind() {
        return "cpu";
    }

    @Override
    public String unavailableReason() {
        return "";
    }

    @Override
    public Provider open(ProviderOptions options) {
        Optional<CpuBackend> backend = options.kernels() == Kernels.JAVA
                ? Optional.empty()
                : ServiceLoader.load(CpuBackend.class, CpuProviderFactory.class.getClassLoader())
                        .findFirst();
        String reason = backend.map(CpuBackend::unavailableReason)
                .orElse(options.kernels() == Kernels.JAVA ? "" : "this build has no native library");
        if (!reason.isEmpty()) {
            if (options.kernels() == Kernels.NATIVE) {
                throw new KindlingException(
                        ErrorCode.DEVICE_UNAVAILABLE,
                        "kernels=native: " + reason + "; use kernels=auto to run on Java kernels");
            }
            LOG.warn("Kernels run in Java, several times slower than native ones: {}", reason);
            backend = Optional.empty();
        }
        return new CpuProvider(options.threads(), backend);
    }
}
