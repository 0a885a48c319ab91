package io.kindling.engine.text;

import ai.djl.huggingface.tokenizers.jni.TokenizersLibrary;
import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.LongFunction;

/**
 * A tokenizer of the native library; truncation and padding are off. Thread-safe.
 *
 * <p>Calls the library's native methods directly: the friendlier class of the binding reads offsets, words and masks of each
 * encoding, which takes longer than the encoding itself, and reports its use over the network.
 */
final class NativeTokenizer implements AutoCloseable {
    private final Path file;
    private final TokenizersLibrary library;
    /** Held for reading by every call, so that closing waits for them. */
    private final ReadWriteLock lock = new ReentrantReadWriteLock();

    private long handle;

    /**
     * @param file for messages
     * @param json the content of a {@code tokenizer.json}
     * @throws RuntimeException when the library refuses it
     */
    NativeTokenizer(Path file, String json) {
        this.file = file;
        library = NativeTokenizers.library();
        handle = library.createTokenizerFromString(json);
        library.disablePadding(handle);
        library.disableTruncation(handle);
    }

    int[] encode(String text, boolean addSpecialTokens) {
        String sound = WellFormed.text(text);
        return with(open -> ids(library.encode(open, sound, addSpecialTokens)));
    }

    /** Encodes on the library's threads. */
    int[][] encode(List<String> texts, boolean addSpecialTokens) {
        String[] sound = texts.stream().map(WellFormed::text).toArray(String[]::new);
        return with(open -> Arrays.stream(library.batchEncode(open, sound, addSpecialTokens))
                .mapToObj(this::ids)
                .toArray(int[][]::new));
    }

    private int[] ids(long encoding) {
        try {
            long[] wide = library.getTokenIds(encoding);
            int[] ids = new int[wide.length];
            for (int k = 0; k < ids.length; k++) {
                ids[k] = (int) wide[k];
            }
            return ids;
        } finally {
            library.deleteEncoding(encoding);
        }
    }

    String decode(int[] ids, boolean skipSpecialTokens) {
        long[] wide = Arrays.stream(ids).asLongStream().toArray();
        return with(open -> library.decode(open, wide, skipSpecialTokens));
    }

    private <T> T with(LongFunction<T> call) {
        lock.readLock().lock();
        try {
            if (handle == 0) {
                throw new IllegalStateException("the tokenizer of '" + file + "' is closed");
            }
            return call.apply(handle);
        } catch (KindlingException | IllegalStateException own) {
            throw own;
        } catch (RuntimeException refused) {
            throw new KindlingException(
                    ErrorCode.TOKENIZER,
                    "the tokenizer of '" + file + "' refuses its input: " + refused.getMessage(),
                    refused);
        } finally {
            lock.readLock().unlock();
        }
    }

    @Override
    public void close() {
        lock.writeLock().lock();
        try {
            if (handle != 0) {
                library.deleteTokenizer(handle);
                handle = 0;
            }
        } finally {
            lock.writeLock().unlock();
        }
    }
}
