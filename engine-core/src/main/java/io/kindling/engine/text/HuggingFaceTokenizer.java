package io.kindling.engine.text;

import ai.djl.huggingface.tokenizers.jni.TokenizersLibrary;
import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Optional;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Function;

/**
 * A {@code tokenizer.json} in Hugging Face's tokenizers library. Truncation and padding of the file are off. Works offline.
 *
 * <p>Calls the library's native methods directly: the friendlier class of the binding reads offsets, words and masks of each
 * encoding, which takes longer than the encoding itself, and reports its use over the network.
 */
public final class HuggingFaceTokenizer implements Tokenizer {
    private final Path file;
    private final TokenizersLibrary library;
    private final BitSet special = new BitSet();
    private final Optional<TokenBytes> bytes;
    /** Held for reading by every call, so that closing waits for them. */
    private final ReadWriteLock lock = new ReentrantReadWriteLock();

    private long handle;

    private HuggingFaceTokenizer(Path file, TokenizersLibrary library, TokenizerFile content, long handle) {
        this.file = file;
        this.library = library;
        this.handle = handle;
        content.addedTokens().stream()
                .filter(TokenizerFile.AddedToken::special)
                .forEach(token -> special.set(token.id()));
        bytes = TokenBytes.of(content);
    }

    /**
     * Loads a tokenizer.
     *
     * @param file a {@code tokenizer.json}
     * @throws KindlingException TOKENIZER when it is missing or malformed, naming the file
     */
    public static HuggingFaceTokenizer open(Path file) {
        if (!Files.isRegularFile(file)) {
            throw new KindlingException(
                    ErrorCode.TOKENIZER,
                    "there is no tokenizer file '" + file + "'; add the model's tokenizer.json to its folder");
        }
        try {
            String json = Files.readString(file, StandardCharsets.UTF_8);
            TokenizerFile content = TokenizerFile.parse(json);
            TokenizersLibrary library = NativeTokenizers.library();
            long handle = library.createTokenizerFromString(json);
            library.disablePadding(handle);
            library.disableTruncation(handle);
            return new HuggingFaceTokenizer(file, library, content, handle);
        } catch (KindlingException alreadyClear) {
            throw alreadyClear;
        } catch (IOException | RuntimeException malformed) {
            throw new KindlingException(
                    ErrorCode.TOKENIZER,
                    "the tokenizer file '" + file + "' is malformed: " + malformed.getMessage(),
                    malformed);
        }
    }

    @Override
    public int[] encode(String text, boolean addSpecialTokens) {
        String sound = WellFormed.text(text);
        long[] ids = withHandle(open -> {
            long encoding = library.encode(open, sound, addSpecialTokens);
            try {
                return library.getTokenIds(encoding);
            } finally {
                library.deleteEncoding(encoding);
            }
        });
        return Arrays.stream(ids).mapToInt(Math::toIntExact).toArray();
    }

    @Override
    public String decode(int[] ids, boolean skipSpecialTokens) {
        long[] wide = Arrays.stream(ids).asLongStream().toArray();
        return withHandle(open -> library.decode(open, wide, skipSpecialTokens));
    }

    @Override
    public boolean isSpecial(int id) {
        return id >= 0 && special.get(id);
    }

    @Override
    public IncrementalDetokenizer newDetokenizer() {
        return bytes.<IncrementalDetokenizer>map(table -> new ByteLevelDetokenizer(table, this::isSpecial))
                .orElseGet(() -> new WindowDetokenizer(ids -> decode(ids, true)));
    }

    private <T> T withHandle(Function<Long, T> call) {
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
