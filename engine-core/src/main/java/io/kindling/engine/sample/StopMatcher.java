package io.kindling.engine.sample;

import java.util.List;

/**
 * Finds stop texts in text that comes in pieces, wherever in a piece they begin or end. Text that may yet become a stop text is
 * held back; the stop text itself is never given out. Not thread-safe.
 */
public final class StopMatcher {
    private static final char SHOWN = 's';
    private static final char HIDDEN = 'h';

    private final List<String> stops;
    private final StringBuilder held = new StringBuilder();
    /** SHOWN or HIDDEN for each character of {@link #held}. */
    private final StringBuilder kinds = new StringBuilder();

    private boolean stopped;

    /** @param stops the first to be complete ends the text, of several that are the one that begins first; empty ones never match */
    public StopMatcher(List<String> stops) {
        this.stops = stops.stream().filter(stop -> !stop.isEmpty()).toList();
    }

    /** Takes a piece; returns the text that is certain to belong to the answer. Nothing once stopped. */
    public String add(String piece) {
        return add(piece, SHOWN);
    }

    /** Takes the text of a control token, which may be part of a stop text but never is part of the answer. */
    public String addHidden(String piece) {
        return add(piece, HIDDEN);
    }

    private String add(String piece, char kind) {
        if (stopped) {
            return "";
        }
        held.append(piece);
        kinds.append(String.valueOf(kind).repeat(piece.length()));
        int stop = firstStop(held);
        if (stop >= 0) {
            stopped = true;
            held.setLength(stop);
            return take(stop);
        }
        return take(held.length() - undecided());
    }

    /** Whether a stop text would be complete with this piece. */
    public boolean wouldStop(String piece) {
        return stopped || !stops.isEmpty() && firstStop(new StringBuilder(held).append(piece)) >= 0;
    }

    /** Whether there is anything to look for. */
    public boolean isEmpty() {
        return stops.isEmpty();
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
        StringBuilder taken = new StringBuilder(length);
        for (int k = 0; k < length; k++) {
            if (kinds.charAt(k) == SHOWN) {
                taken.append(held.charAt(k));
            }
        }
        held.delete(0, length);
        kinds.delete(0, length);
        return taken.toString();
    }

    private int firstStop(StringBuilder text) {
        int first = -1;
        for (String stop : stops) {
            int at = text.indexOf(stop);
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
            int length = Math.min(stop.length() - 1, held.length());
            while (length > longest && !stop.startsWith(held.substring(held.length() - length))) {
                length--;
            }
            longest = Math.max(longest, length);
        }
        return longest;
    }
}
