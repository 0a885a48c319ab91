package io.kindling.engine.text;

import java.util.function.Consumer;

/** Stages over a text that comes in parts: those behind a stage that fuses the tokens, and the clean-up behind all. */
final class TextSteps {
    private TextSteps() {}

    /** Replaces all occurrences, from the left and without overlap. */
    static final class Replace implements DecoderStep {
        private final String pattern;
        private final String content;
        private final StringBuilder held = new StringBuilder();

        /** @param pattern not empty */
        Replace(String pattern, String content) {
            this.pattern = pattern;
            this.content = content;
        }

        String pattern() {
            return pattern;
        }

        String content() {
            return content;
        }

        @Override
        public void take(String part, Consumer<String> next) {
            held.append(part);
            int at = 0;
            for (int found = held.indexOf(pattern); found >= 0; found = held.indexOf(pattern, at)) {
                next.accept(held.substring(at, found));
                next.accept(content);
                at = found + pattern.length();
            }
            int undecided = Math.min(pattern.length() - 1, held.length() - at);
            while (!pattern.startsWith(held.substring(held.length() - undecided))) {
                undecided--;
            }
            next.accept(held.substring(at, held.length() - undecided));
            held.delete(0, held.length() - undecided);
        }

        @Override
        public void end(boolean trimmed, Consumer<String> next) {
            next.accept(held.toString());
            held.setLength(0);
        }

        @Override
        public DecoderStep copy() {
            Replace copy = new Replace(pattern, content);
            copy.held.append(held);
            return copy;
        }
    }

    /** Takes a character off the beginning and the end of the text, at most so often. */
    static final class Strip implements DecoderStep {
        private final char content;
        private final int atStart;
        private final int atEnd;
        private final StringBuilder held = new StringBuilder();
        private int stripped;
        private boolean begun;

        Strip(char content, int atStart, int atEnd) {
            this.content = content;
            this.atStart = atStart;
            this.atEnd = atEnd;
        }

        /** A part that begins the text, without what is taken off there. */
        String beginning(String part) {
            int at = 0;
            while (at < Math.min(atStart, part.length()) && part.charAt(at) == content) {
                at++;
            }
            return part.substring(at);
        }

        @Override
        public void take(String part, Consumer<String> next) {
            int at = 0;
            while (!begun && at < part.length()) {
                if (stripped < atStart && part.charAt(at) == content) {
                    stripped++;
                    at++;
                } else {
                    begun = true;
                }
            }
            held.append(part, at, part.length());
            int certain = held.length();
            while (certain > 0 && held.length() - certain < atEnd && held.charAt(certain - 1) == content) {
                certain--;
            }
            next.accept(held.substring(0, certain));
            held.delete(0, certain);
        }

        @Override
        public DecoderStep copy() {
            Strip copy = new Strip(content, atStart, atEnd);
            copy.held.append(held);
            copy.stripped = stripped;
            copy.begun = begun;
            return copy;
        }
    }
}
