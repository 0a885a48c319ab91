package io.kindling.engine;

import io.kindling.engine.text.HuggingFaceTokenizer;
import io.kindling.engine.text.Tokenizer;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** A tokenizer that a thread of its own loads while the graph is prepared: either takes a good part of a model's opening. */
final class TokenizerLoad implements AutoCloseable {
    private final CompletableFuture<Tokenizer> loaded;

    private TokenizerLoad(CompletableFuture<Tokenizer> loaded) {
        this.loaded = loaded;
    }

    static TokenizerLoad begin(Path file) {
        return new TokenizerLoad(CompletableFuture.supplyAsync(() -> HuggingFaceTokenizer.open(file), task -> {
            Thread thread = new Thread(task, "kindling-tokenizer");
            thread.setDaemon(true);
            thread.start();
        }));
    }

    /**
     * Waits for it.
     *
     * @throws io.kindling.engine.error.KindlingException TOKENIZER, as {@link HuggingFaceTokenizer#open} throws it
     */
    Tokenizer get() {
        try {
            return loaded.join();
        } catch (CompletionException failed) {
            if (failed.getCause() instanceof RuntimeException problem) {
                throw problem;
            }
            throw failed;
        }
    }

    /** Waits for it too, so that nothing of it is left. */
    @Override
    public void close() {
        loaded.thenAccept(Tokenizer::close).exceptionally(failed -> null).join();
    }
}
