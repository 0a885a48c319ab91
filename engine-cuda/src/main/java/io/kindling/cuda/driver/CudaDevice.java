package io.kindling.cuda.driver;

import java.util.Locale;

/**
 * A device that the driver shows.
 *
 * @param index the driver's ordinal, after CUDA_VISIBLE_DEVICES
 * @param computeMajor compute capability before the point
 * @param computeMinor compute capability after the point
 * @param memoryBytes all of the device's memory
 */
public record CudaDevice(int index, String name, int computeMajor, int computeMinor, long memoryBytes) {
    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "device %d: %s, compute capability %d.%d, %.1f GiB",
                index,
                name,
                computeMajor,
                computeMinor,
                memoryBytes / (double) (1L << 30));
    }
}
