package io.kindling.engine.embed;

import io.kindling.engine.TextEncoder.Score;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** From class logits to labels with probabilities, as transformers' text classification pipeline makes them. */
final class ClassScores {
    private ClassScores() {}

    /**
     * The likeliest first. One logit alone, or independent classes, go through the logistic function, others through softmax.
     *
     * @param labels names of the classes; those without one are LABEL_n
     */
    static List<Score> of(float[] logits, List<String> labels, boolean multiLabel) {
        double[] scores = multiLabel || logits.length == 1 ? logistic(logits) : softmax(logits);
        List<Score> classes = new ArrayList<>();
        for (int k = 0; k < scores.length; k++) {
            classes.add(new Score(k < labels.size() ? labels.get(k) : "LABEL_" + k, (float) scores[k]));
        }
        classes.sort(Comparator.comparingDouble((Score score) -> score.score()).reversed());
        return classes;
    }

    private static double[] logistic(float[] logits) {
        double[] scores = new double[logits.length];
        for (int k = 0; k < logits.length; k++) {
            scores[k] = 1 / (1 + Math.exp(-logits[k]));
        }
        return scores;
    }

    private static double[] softmax(float[] logits) {
        double largest = Double.NEGATIVE_INFINITY;
        for (float logit : logits) {
            largest = Math.max(largest, logit);
        }
        double sum = 0;
        double[] scores = new double[logits.length];
        for (int k = 0; k < logits.length; k++) {
            scores[k] = Math.exp(logits[k] - largest);
            sum += scores[k];
        }
        for (int k = 0; k < logits.length; k++) {
            scores[k] /= sum;
        }
        return scores;
    }
}
