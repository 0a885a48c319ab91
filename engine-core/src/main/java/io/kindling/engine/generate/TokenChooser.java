package io.kindling.engine.generate;

import io.kindling.engine.GenerationResult.TokenLogit;
import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/** Reads rows of logits: the greedy choice, the highest few, and whether they are sound. */
final class TokenChooser {
    private static final int STRIDE = 1024;

    private TokenChooser() {}

    /**
     * The id with the highest logit, the lowest among equals.
     *
     * @throws KindlingException NON_FINITE_LOGITS when a logit is NaN or infinitely large, or all are minus infinity
     */
    static int greedy(float[] logits) {
        float highest = Float.NEGATIVE_INFINITY;
        int block = 0;
        for (int start = 0; start < logits.length; start += STRIDE) {
            float best = max(logits, start, Math.min(logits.length, start + STRIDE));
            if (!(best <= highest)) {
                highest = best;
                block = start;
                if (Float.isNaN(best)) {
                    break;
                }
            }
        }
        if (!Float.isFinite(highest)) {
            throw nonFinite(highest);
        }
        int index = block;
        while (logits[index] != highest) {
            index++;
        }
        return index;
    }

    /** NaN when one is among them: {@link Math#max} hands it on. */
    private static float max(float[] values, int from, int to) {
        float max = Float.NEGATIVE_INFINITY;
        for (int k = from; k < to; k++) {
            max = Math.max(max, values[k]);
        }
        return max;
    }

    private static KindlingException nonFinite(float found) {
        return new KindlingException(
                ErrorCode.NON_FINITE_LOGITS,
                "the model's logits hold " + found
                        + ": the weights or the precision are at fault; try precision exact");
    }

    /** The {@code count} highest logits, largest first, the lower id first among equals. */
    static List<TokenLogit> highest(float[] logits, int count) {
        Comparator<TokenLogit> order = Comparator.comparingDouble(TokenLogit::logit)
                .thenComparing(TokenLogit::tokenId, Comparator.reverseOrder());
        PriorityQueue<TokenLogit> kept = new PriorityQueue<>(order);
        for (int id = 0; id < logits.length; id++) {
            if (kept.size() < count) {
                kept.add(new TokenLogit(id, logits[id]));
            } else if (logits[id] > kept.peek().logit()) {
                kept.poll();
                kept.add(new TokenLogit(id, logits[id]));
            }
        }
        List<TokenLogit> sorted = new ArrayList<>(kept);
        sorted.sort(order.reversed());
        return sorted;
    }
}
