package io.kindling.engine.cpu;

/** What {@code ai.onnx.ml} models do to the scores of a row in the end. */
enum PostTransform {
    NONE,
    SOFTMAX,
    LOGISTIC,
    SOFTMAX_ZERO,
    PROBIT;

    /** Scores closer to 0 than this stay out of {@link #SOFTMAX_ZERO}. */
    private static final double ZERO = 1e-7;

    static PostTransform of(MlAttributes attributes) {
        String name = attributes.node().stringAttribute("post_transform", "NONE");
        for (PostTransform transform : values()) {
            if (transform.name().equals(name)) {
                return transform;
            }
        }
        throw attributes.invalid("post_transform '" + name + "' is unknown");
    }

    /** In place. */
    void apply(double[] scores, int count) {
        switch (this) {
            case SOFTMAX -> SoftmaxKernels.softmax(scores, count);
            case SOFTMAX_ZERO -> softmaxZero(scores, count);
            case LOGISTIC -> {
                for (int k = 0; k < count; k++) {
                    scores[k] = UnaryKernels.sigmoid(scores[k]);
                }
            }
            case PROBIT -> {
                for (int k = 0; k < count; k++) {
                    scores[k] = probit(scores[k]);
                }
            }
            case NONE -> {}
        }
    }

    private static void softmaxZero(double[] scores, int count) {
        double max = Double.NEGATIVE_INFINITY;
        for (int k = 0; k < count; k++) {
            max = Math.max(max, scores[k]);
        }
        double sum = 0;
        for (int k = 0; k < count; k++) {
            boolean zero = Math.abs(scores[k]) <= ZERO;
            scores[k] = zero ? scores[k] * Math.exp(-max) : Math.exp(scores[k] - max);
            sum += zero ? 0 : scores[k];
        }
        for (int k = 0; k < count; k++) {
            scores[k] /= sum;
        }
    }

    /** √2 · erf⁻¹(2x − 1), the inverse error function by Winitzki's approximation with a = 0.147, as the operators' makers compute it. */
    static double probit(double x) {
        double y = 2 * x - 1;
        double log = Math.log((1 - y) * (1 + y));
        double half = 2 / (Math.PI * 0.147) + log / 2;
        return Math.sqrt(2) * Math.copySign(Math.sqrt(Math.sqrt(half * half - log / 0.147) - half), y);
    }

    /**
     * Turns the one score of a binary classifier, at index 0, into those of both classes.
     *
     * @param probability whether the score is a probability, the other class having the rest; else it is a margin
     */
    void spread(double[] scores, boolean probability) {
        double score = scores[0];
        switch (this) {
            case PROBIT -> {
                scores[0] = probit(score);
                scores[1] = 0;
            }
            case LOGISTIC -> {
                scores[0] = UnaryKernels.sigmoid(-score);
                scores[1] = UnaryKernels.sigmoid(score);
            }
            default -> {
                scores[0] = probability ? 1 - score : -score;
                scores[1] = score;
            }
        }
    }
}
