package io.kindling.engine.ir;

/** A named value and what is known of its type. */
public record ValueInfo(String name, ValueType type) {}
