package io.kindling.engine.embed;

import io.kindling.engine.EncodingOptions.Pooling;

/** From the states of a text's tokens to one vector. Sums are in float64, so that their order does not show. */
final class Pool {
    private Pool() {}

    /**
     * @param states states of a batch, [rows, length, width]
     * @param row which row
     * @param length tokens of each row with padding
     * @param tokens tokens of this row, which come before its padding; at least 1
     */
    static float[] of(float[] states, int row, int length, int tokens, int width, Pooling pooling) {
        int start = row * length * width;
        return switch (pooling) {
            case CLS -> state(states, start, width);
            case LAST_TOKEN -> state(states, start + (tokens - 1) * width, width);
            case MAX -> max(states, start, tokens, width);
            case MEAN, AUTO -> mean(states, start, tokens, width);
        };
    }

    private static float[] state(float[] states, int start, int width) {
        float[] vector = new float[width];
        System.arraycopy(states, start, vector, 0, width);
        return vector;
    }

    private static float[] max(float[] states, int start, int tokens, int width) {
        float[] vector = state(states, start, width);
        for (int t = 1; t < tokens; t++) {
            for (int k = 0; k < width; k++) {
                vector[k] = Math.max(vector[k], states[start + t * width + k]);
            }
        }
        return vector;
    }

    private static float[] mean(float[] states, int start, int tokens, int width) {
        double[] sums = new double[width];
        for (int t = 0; t < tokens; t++) {
            for (int k = 0; k < width; k++) {
                sums[k] += states[start + t * width + k];
            }
        }
        float[] vector = new float[width];
        for (int k = 0; k < width; k++) {
            vector[k] = (float) (sums[k] / tokens);
        }
        return vector;
    }

    /** Gives a vector Euclidean length 1; one of zeros stays. */
    static void normalize(float[] vector) {
        double square = 0;
        for (float component : vector) {
            square += (double) component * component;
        }
        // torch.nn.functional.normalize divides by no less than 1e-12
        double length = Math.max(Math.sqrt(square), 1e-12);
        for (int k = 0; k < vector.length; k++) {
            vector[k] = (float) (vector[k] / length);
        }
    }
}
