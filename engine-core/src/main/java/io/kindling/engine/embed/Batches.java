package io.kindling.engine.embed;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/** Which texts run together: those of like length, as many as a token budget holds with their padding. */
final class Batches {
    private Batches() {}

    /**
     * @param lengths tokens of each text
     * @param tokenBudget most tokens of a batch, padding included; a longer text runs alone
     * @param maxRows most texts of a batch
     * @param padded whether texts of different lengths may run together
     * @return indices into {@code lengths}, each once
     */
    static List<int[]> of(int[] lengths, int tokenBudget, int maxRows, boolean padded) {
        int[] order = IntStream.range(0, lengths.length)
                .boxed()
                .sorted(Comparator.comparingInt((Integer index) -> lengths[index])
                        .reversed())
                .mapToInt(Integer::intValue)
                .toArray();
        List<int[]> batches = new ArrayList<>();
        int start = 0;
        while (start < order.length) {
            int longest = lengths[order[start]];
            int rows = Math.max(1, Math.min(maxRows, tokenBudget / Math.max(1, longest)));
            int end = start + 1;
            while (end < order.length && end - start < rows && (padded || lengths[order[end]] == longest)) {
                end++;
            }
            batches.add(IntStream.range(start, end).map(k -> order[k]).toArray());
            start = end;
        }
        return batches;
    }
}
