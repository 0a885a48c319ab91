package io.kindling.engine.text;

import ai.djl.huggingface.tokenizers.jni.TokenizersLibrary;
import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
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
    private final TokenNames names;
    private final boolean cleansUp;
    private final Optional<List<DecoderStep>> decoder;
    /** Held for reading by every call, so that closing waits for them. */
    private final ReadWriteLock lock = new ReentrantReadWriteLock();

    private long handle;

    private HuggingFaceTokenizer(
            Path file,
            TokenizersLibrary library,
            long handle,
            TokenNames names,
            boolean cleansUp,
            Optional<List<DecoderStep>> decoder) {
        this.file = file;
        this.library = library;
        this.handle = handle;
        this.names = names;
        this.cleansUp = cleansUp;
        this.decoder = decoder;
    }

    /**
     * Loads a tokenizer, with the settings that lie beside it in {@code tokenizer_config.json} and the like.
     *
     * @param file a {@code tokenizer.json}
     * @throws KindlingException TOKENIZER when it is missing or malformed, naming file and field
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
            TokenizerSettings settings = TokenizerSettings.beside(file);
            List<AddedToken> missing = settings.missing(content.addedTokens());
            List<AddedToken> added = TokenizerJson.merged(content.addedTokens(), missing);
            TokenNames names = new TokenNames(content.vocabulary(), added);
            if (!missing.isEmpty()) {
                json = TokenizerJson.withAddedTokens(json, added, names);
            }
            TokenizersLibrary library = NativeTokenizers.library();
            long handle = library.createTokenizerFromString(json);
            library.disablePadding(handle);
            library.disableTruncation(handle);
            boolean cleansUp = settings.cleansUp(content.modelType());
            return new HuggingFaceTokenizer(
                    file, library, handle, names, cleansUp, Decoders.steps(content.decoder(), cleansUp));
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
        String text = withHandle(open -> library.decode(open, wide, skipSpecialTokens));
        return cleansUp ? CleanUp.transformers(text) : text;
    }

    @Override
    public Optional<String> specialToken(int id) {
        return names.isSpecial(id) ? Optional.of(names.name(id)) : Optional.empty();
    }

    @Override
    public IncrementalDetokenizer newDetokenizer(boolean skipSpecialTokens) {
        return decoder.<IncrementalDetokenizer>map(steps -> new StreamingDetokenizer(
                        id -> skipSpecialTokens && names.isSpecial(id) ? null : names.name(id), steps))
                .orElseGet(() -> new WholeDetokenizer(ids -> decode(ids, skipSpecialTokens)));
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
