package io.kindling.engine.generate;

import java.util.ArrayDeque;
import java.util.Deque;

/** The jobs of one task that are not yet running. Guarded by the {@link RequestBoard}'s lock. */
final class ClientQueue {
    final Deque<Job> waiting = new ArrayDeque<>();
    boolean closed;
}
