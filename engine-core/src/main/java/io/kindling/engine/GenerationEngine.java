package io.kindling.engine;

import java.util.concurrent.CompletableFuture;

/**
 * Generates texts with one loaded model. All tasks of an executor share one engine; their requests are batched together.
 * Thread-safe.
 */
public interface GenerationEngine extends AutoCloseable {
    /** A task's handle: closing it cancels what it still waits for and frees the KV pages held for it. */
    Client openClient();

    GenerationStats stats();

    @Override
    void close();

    /** Requests of one task. Thread-safe. */
    interface Client extends AutoCloseable {
        /**
         * Queues a request. A fault of the row completes the future normally, with an ERROR result; the future fails only
         * when the engine itself does or the client is closed (CANCELLED).
         */
        CompletableFuture<GenerationResult> submit(GenerationRequest request);

        @Override
        void close();
    }
}
