package io.kindling.engine.cpu;

/**
 * Discrete Fourier transforms of one length, in double: by halving where it is a power of two (Cooley and Tukey, 1965), else as a
 * convolution of such a length (Bluestein, 1970).
 */
final class FourierTransform {
    private final int size;
    private final double[] cos;
    private final double[] sin;
    private final FourierTransform convolution;
    private final double[] chirpReal;
    private final double[] chirpImaginary;
    private final double[] filterReal;
    private final double[] filterImaginary;

    FourierTransform(int size) {
        this.size = size;
        boolean halves = Integer.bitCount(size) == 1;
        int angles = halves ? size / 2 : 0;
        cos = new double[angles];
        sin = new double[angles];
        for (int k = 0; k < angles; k++) {
            cos[k] = Math.cos(2 * Math.PI * k / size);
            sin[k] = -Math.sin(2 * Math.PI * k / size);
        }
        if (halves) {
            convolution = null;
            chirpReal = null;
            chirpImaginary = null;
            filterReal = null;
            filterImaginary = null;
            return;
        }
        convolution = new FourierTransform(Integer.highestOneBit(Math.multiplyExact(size, 2)) * 2);
        chirpReal = new double[size];
        chirpImaginary = new double[size];
        filterReal = new double[convolution.size];
        filterImaginary = new double[convolution.size];
        for (int k = 0; k < size; k++) {
            // k² modulo 2 · size keeps the angle small and so exact.
            double angle = Math.PI * ((long) k * k % (2L * size)) / size;
            chirpReal[k] = Math.cos(angle);
            chirpImaginary[k] = -Math.sin(angle);
            filterReal[k] = chirpReal[k];
            filterImaginary[k] = -chirpImaginary[k];
            if (k > 0) {
                filterReal[convolution.size - k] = filterReal[k];
                filterImaginary[convolution.size - k] = filterImaginary[k];
            }
        }
        convolution.forward(filterReal, filterImaginary);
    }

    /** Replaces {@code x[n]} by {@code Σ x[n] · exp(−2πi·k·n/size)}. */
    void forward(double[] real, double[] imaginary) {
        if (convolution == null) {
            halving(real, imaginary);
        } else {
            bluestein(real, imaginary);
        }
    }

    /** The inverse of {@link #forward}, scaled by 1/size. */
    void inverse(double[] real, double[] imaginary) {
        // Exchanging the parts before and after conjugates.
        forward(imaginary, real);
        for (int k = 0; k < size; k++) {
            real[k] /= size;
            imaginary[k] /= size;
        }
    }

    private void halving(double[] real, double[] imaginary) {
        for (int k = 1, mirrored = 0; k < size; k++) {
            int bit = size >> 1;
            while ((mirrored & bit) != 0) {
                mirrored ^= bit;
                bit >>= 1;
            }
            mirrored ^= bit;
            if (k < mirrored) {
                swap(real, k, mirrored);
                swap(imaginary, k, mirrored);
            }
        }
        for (int half = 1; half < size; half *= 2) {
            int step = size / (2 * half);
            for (int start = 0; start < size; start += 2 * half) {
                for (int k = 0; k < half; k++) {
                    int low = start + k;
                    int high = low + half;
                    double c = cos[k * step];
                    double s = sin[k * step];
                    double turnedReal = real[high] * c - imaginary[high] * s;
                    double turnedImaginary = real[high] * s + imaginary[high] * c;
                    real[high] = real[low] - turnedReal;
                    imaginary[high] = imaginary[low] - turnedImaginary;
                    real[low] += turnedReal;
                    imaginary[low] += turnedImaginary;
                }
            }
        }
    }

    private void bluestein(double[] real, double[] imaginary) {
        double[] a = new double[convolution.size];
        double[] b = new double[convolution.size];
        for (int k = 0; k < size; k++) {
            a[k] = real[k] * chirpReal[k] - imaginary[k] * chirpImaginary[k];
            b[k] = real[k] * chirpImaginary[k] + imaginary[k] * chirpReal[k];
        }
        convolution.forward(a, b);
        for (int k = 0; k < convolution.size; k++) {
            double product = a[k] * filterReal[k] - b[k] * filterImaginary[k];
            b[k] = a[k] * filterImaginary[k] + b[k] * filterReal[k];
            a[k] = product;
        }
        convolution.inverse(a, b);
        for (int k = 0; k < size; k++) {
            real[k] = a[k] * chirpReal[k] - b[k] * chirpImaginary[k];
            imaginary[k] = a[k] * chirpImaginary[k] + b[k] * chirpReal[k];
        }
    }

    private static void swap(double[] values, int left, int right) {
        double kept = values[left];
        values[left] = values[right];
        values[right] = kept;
    }
}
