package io.kindling.engine.provider;

/** Found through {@link java.util.ServiceLoader}; one for each kind of device. */
public interface ProviderFactory {
    /** {@code cpu} or {@code cuda}. */
    String deviceKind();

    /** Why the device cannot be used here, or an empty string when it can. */
    String unavailableReason();

    /**
     * Opens the device.
     *
     * @throws io.kindling.engine.error.KindlingException DEVICE_UNAVAILABLE with the reason
     */
    Provider open(ProviderOptions options);
}
