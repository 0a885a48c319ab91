package io.kindling.engine;

import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import io.kindling.engine.error.OptionException;
import io.kindling.engine.provider.Provider;
import io.kindling.engine.provider.ProviderFactory;
import io.kindling.engine.provider.ProviderOptions;
import java.util.HashMap;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens devices by name and shares them: all models of a process that ask for the same device in the same way get one
 * provider, hence one thread pool. Thread-safe.
 */
final class Devices {
    private static final Logger LOG = LoggerFactory.getLogger(Devices.class);
    /** Each process says it once, however many models it opens. */
    private static final AtomicBoolean FALLBACK_TOLD = new AtomicBoolean();

    private static final Pattern NAME = Pattern.compile("(auto|cpu|cuda)(?::(\\d{1,4}))?");
    private static final Map<Key, Shared> OPEN = new HashMap<>();

    private Devices() {}

    private record Key(String kind, ProviderOptions options) {}

    private static final class Shared {
        private final Provider provider;
        private int users;

        private Shared(Provider provider) {
            this.provider = provider;
        }
    }

    /** A use of a device; the last one to close closes the device. */
    static final class Lease implements AutoCloseable {
        private final Key key;
        private final Provider provider;
        private boolean closed;

        private Lease(Key key, Provider provider) {
            this.key = key;
            this.provider = provider;
        }

        Provider provider() {
            return provider;
        }

        @Override
        public void close() {
            synchronized (OPEN) {
                if (closed) {
                    return;
                }
                closed = true;
                Shared shared = OPEN.get(key);
                if (--shared.users == 0) {
                    OPEN.remove(key);
                    shared.provider.close();
                }
            }
        }
    }

    /**
     * Opens {@code auto}, {@code cpu}, {@code cuda} or {@code cuda:N}. {@code auto} takes CUDA where it works, else the
     * CPU, and logs why; an explicit device is never exchanged for another.
     *
     * @throws KindlingException DEVICE_UNAVAILABLE with the reason
     */
    static Lease open(EngineOptions options) {
        Matcher name = NAME.matcher(options.device());
        if (!name.matches()) {
            throw new OptionException("device must be auto, cpu, cuda or cuda:N, not '" + options.device() + "'");
        }
        int index = name.group(2) == null ? 0 : Integer.parseInt(name.group(2));
        ProviderOptions providerOptions = new ProviderOptions(options.kernels(), options.threads(), index);
        if (!name.group(1).equals("auto")) {
            return lease(name.group(1), providerOptions);
        }
        try {
            return lease("cuda", providerOptions);
        } catch (KindlingException unavailable) {
            if (unavailable.code() != ErrorCode.DEVICE_UNAVAILABLE) {
                throw unavailable;
            }
            if (FALLBACK_TOLD.compareAndSet(false, true)) {
                LOG.info("device=auto runs on the CPU: {}", unavailable.getMessage());
            }
            return lease("cpu", providerOptions);
        }
    }

    /** The CPU with its Java kernels on one thread, whatever device models run on. */
    static Lease openReference() {
        return lease("cpu", new ProviderOptions(ProviderOptions.Kernels.JAVA, 1, 0));
    }

    private static Lease lease(String kind, ProviderOptions options) {
        Key key = new Key(kind, options);
        synchronized (OPEN) {
            Shared shared = OPEN.get(key);
            if (shared == null) {
                shared = new Shared(factory(kind).open(options));
                OPEN.put(key, shared);
            }
            shared.users++;
            return new Lease(key, shared.provider);
        }
    }

    private static ProviderFactory factory(String kind) {
        for (ProviderFactory factory : ServiceLoader.load(ProviderFactory.class, Devices.class.getClassLoader())) {
            if (factory.deviceKind().equals(kind)) {
                return factory;
            }
        }
        throw new KindlingException(
                ErrorCode.DEVICE_UNAVAILABLE, "device " + kind + ": its provider is not on the class path");
    }
}
