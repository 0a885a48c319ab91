package io.kindling.engine.sample;

import java.util.List;

/**
 * Finds stop texts in text that comes in pieces, wherever in a piece they begin or end. Text that may yet become a stop text is
 * held back; the stop text itself is never given out. Not thread-safe.
 */
public final class StopMatcher {
    private final List<String> stops;
    private final StringBuilder held = new StringBuilder();
    private boolean stopped;

    /** @param stops the first to occur in the text ends it; empty ones never match */
    public StopMatcher(List<String> stops) {
        this.stops = stops.stream().filter(stop -> !stop.isEmpty()).toList();
    }

    /** Takes a piece; returns the text that is certain to belong to the answer. Nothing once stopped. */
    public String add(String piece) {
        if (stopped) {
            return "";
        }
        held.append(piece);
        int stop = firstStop();
        if (stop >= 0) {
            stopped = true;
            held.setLength(stop);
            return take(stop);
        }
        return take(held.length() - undecided());
    }

    /** Whether a stop text was found. */
    public boolean stopped() {
        return stopped;
    }

    /** The text held back, when no more will come. */
    public String finish() {
        return take(held.length());
    }

    private String take(int length) {
        String taken = held.substring(0, length);
        held.delete(0, length);
        return taken;
    }

    private int firstStop() {
        int first = -1;
        for (String stop : stops) {
            int at = held.indexOf(stop);
            if (at >= 0 && (first < 0 || at < first)) {
                first = at;
            }
        }
        return first;
    }

    /** The length of the longest end that a stop text begins with. */
    private int undecided() {
        int longest = 0;
        for (String stop : stops) {
            for (int length = Math.min(stop.length() - 1, held.length()); length > longest; length--) {
                if (stop.startsWith(held.substring(held.length() - length))) {
                    longest = length;
                }
            }
        }
        return longest;
    }
}
