package io.kindling.engine.session;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** The best finished sequences of one prompt, the best first; as many as there are beams. */
final class BeamHypotheses {
    /** @param score the sum of log probabilities over a power of the length */
    record Hypothesis(int[] tokens, double score) {}

    private final int beams;
    private final float lengthPenalty;
    private final boolean earlyStopping;
    private final List<Hypothesis> best = new ArrayList<>();
    private boolean done;

    BeamHypotheses(int beams, float lengthPenalty, boolean earlyStopping) {
        this.beams = beams;
        this.lengthPenalty = lengthPenalty;
        this.earlyStopping = earlyStopping;
    }

    boolean isDone() {
        return done;
    }

    List<Hypothesis> best() {
        return best;
    }

    void add(int[] tokens, double sum) {
        double score = sum / Math.pow(tokens.length, lengthPenalty);
        if (best.size() == beams && score <= best.get(beams - 1).score()) {
            return;
        }
        best.add(new Hypothesis(tokens, score));
        best.sort(Comparator.comparingDouble(Hypothesis::score).reversed());
        if (best.size() > beams) {
            best.remove(beams);
        }
    }

    /** Ends the search once no open sequence of {@code length} tokens can be better than the finished ones. */
    void settle(double bestSum, int length) {
        if (best.size() == beams) {
            done = earlyStopping || best.get(beams - 1).score() >= bestSum / Math.pow(length, lengthPenalty);
        }
    }
}
