package io.kindling.engine.generate;

import io.kindling.engine.GenerationResult.TokenLogit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/** The highest few of a row of logits, for reports. */
final class TopLogits {
    private TopLogits() {}

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
