package io.kindling.engine.provider;

/**
 * Whether a kernel's work may be recorded in a device graph.
 *
 * @param reason why not, or what it needs first; empty when supported
 */
public record CaptureSupport(boolean supported, String reason) {
    public static final CaptureSupport SUPPORTED = new CaptureSupport(true, "");

    public static CaptureSupport refused(String reason) {
        return new CaptureSupport(false, reason);
    }
}
