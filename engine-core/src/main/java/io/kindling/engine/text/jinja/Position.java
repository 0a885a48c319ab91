package io.kindling.engine.text.jinja;

/** Where something stands in a template; both count from 1. */
record Position(int line, int column) implements Comparable<Position> {
    @Override
    public int compareTo(Position other) {
        return line != other.line ? Integer.compare(line, other.line) : Integer.compare(column, other.column);
    }
}
