package io.kindling.cli;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** Waiting for the engine. */
final class Answers {
    private Answers() {}

    /** The value, or the engine's own exception without the wrapping of futures. */
    static <T> T await(CompletableFuture<T> future) {
        try {
            return future.join();
        } catch (CompletionException wrapped) {
            throw wrapped.getCause() instanceof RuntimeException fault ? fault : wrapped;
        }
    }
}
