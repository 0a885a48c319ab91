package io.kindling.engine.text.jinja;

/** A text that grows up to the limit. */
final class TextBuffer {
    private final StringBuilder text = new StringBuilder();

    TextBuffer append(String more) {
        Limits.size((long) text.length() + more.length());
        text.append(more);
        return this;
    }

    @Override
    public String toString() {
        return text.toString();
    }
}
