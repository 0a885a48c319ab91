package io.kindling.engine.provider;

import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;

/** Kernel factories by domain, operator and the opset version since which their meaning holds. */
public final class KernelRegistry {
    private final Map<String, NavigableMap<Integer, KernelFactory>> factories = new HashMap<>();

    /** @throws IllegalStateException when the same key is registered twice */
    public KernelRegistry register(String domain, String opType, int sinceVersion, KernelFactory factory) {
        KernelFactory previous = factories
                .computeIfAbsent(key(domain, opType), k -> new TreeMap<>())
                .putIfAbsent(sinceVersion, factory);
        if (previous != null) {
            throw new IllegalStateException(
                    "two kernels for " + key(domain, opType) + " since version " + sinceVersion);
        }
        return this;
    }

    /** The factory whose version is the newest that is not above {@code opset}. */
    public Optional<KernelFactory> find(String domain, String opType, long opset) {
        NavigableMap<Integer, KernelFactory> versions = factories.get(key(domain, opType));
        if (versions == null) {
            return Optional.empty();
        }
        Map.Entry<Integer, KernelFactory> entry = versions.floorEntry((int) Math.min(opset, Integer.MAX_VALUE));
        return entry == null ? Optional.empty() : Optional.of(entry.getValue());
    }

    /** Whether any version of the operator is known. */
    public boolean knows(String domain, String opType) {
        return factories.containsKey(key(domain, opType));
    }

    /** Every operator, as {@code domain::OpType} ({@code OpType} alone in the default domain), with its since-versions. */
    public Map<String, NavigableMap<Integer, KernelFactory>> all() {
        return Collections.unmodifiableMap(new TreeMap<>(factories));
    }

    private static String key(String domain, String opType) {
        return domain.isEmpty() ? opType : domain + "::" + opType;
    }
}
