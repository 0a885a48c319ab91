package io.kindling.engine.text.jinja;

/** Where something stands in a template; both count from 1. */
record Position(int line, int column) {}
