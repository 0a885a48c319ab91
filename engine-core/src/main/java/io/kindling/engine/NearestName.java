package io.kindling.engine;

import java.util.Collection;
import java.util.Optional;

/** Finds what a mistyped name probably meant. */
public final class NearestName {
    private NearestName() {}

    /** The known name with the smallest edit distance, unless more than half of the letters would have to change. */
    public static Optional<String> of(String name, Collection<String> known) {
        String nearest = null;
        int least = Integer.MAX_VALUE;
        for (String candidate : known) {
            int distance = distance(name, candidate);
            if (distance < least) {
                least = distance;
                nearest = candidate;
            }
        }
        return nearest != null && least * 2 <= Math.max(name.length(), nearest.length())
                ? Optional.of(nearest)
                : Optional.empty();
    }

    /** Levenshtein's distance: insertions, deletions and substitutions count one each. */
    private static int distance(String a, String b) {
        int[] previous = new int[b.length() + 1];
        int[] current = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            previous[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            current[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int substitution = previous[j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                current[j] = Math.min(substitution, Math.min(previous[j], current[j - 1]) + 1);
            }
            int[] swap = previous;
            previous = current;
            current = swap;
        }
        return previous[b.length()];
    }
}
