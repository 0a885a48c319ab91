package io.kindling.engine.text;

import com.fasterxml.jackson.databind.JsonNode;
import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** A {@code tokenizer.json} in Hugging Face's tokenizers library, with the settings beside it. Works offline. */
public final class HuggingFaceTokenizer implements Tokenizer {
    private final Path file;
    private final TokenizerSettings settings;
    private final List<AddedToken> added;
    private final TokenNames names;
    private final ControlTokens controlTokens;
    private final Optional<List<DecoderStep>> decoder;
    private final Optional<TokenBytes> tokenBytes;
    private final boolean cleansUp;
    private final NativeTokenizer tokenizer;
    /** Made when a text first has a control token's literal that has to stay text. */
    private DisguisedTokenizer disguised;

    private boolean closed;

    private HuggingFaceTokenizer(Path file, String json) throws IOException {
        this.file = file;
        TokenizerFile content = TokenizerFile.parse(json);
        settings = TokenizerSettings.beside(file);
        List<AddedToken> missing = settings.missing(content.addedTokens());
        added = TokenizerJson.merged(content.addedTokens(), missing);
        names = new TokenNames(content.vocabulary(), added);
        controlTokens = new ControlTokens(added);
        cleansUp = settings.cleansUp(content.modelType());
        decoder = Decoders.steps(content.decoder(), cleansUp);
        tokenBytes = Decoders.steps(content.decoder(), false).flatMap(steps -> DecodedTokens.of(names, steps));
        if (decoder.isEmpty()) {
            refuseStripAtEnd(content.decoder());
        }
        tokenizer =
                new NativeTokenizer(file, missing.isEmpty() ? json : TokenizerJson.withAddedTokens(json, added, names));
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
            return new HuggingFaceTokenizer(file, read(file));
        } catch (KindlingException alreadyClear) {
            throw alreadyClear;
        } catch (IOException | RuntimeException malformed) {
            throw new KindlingException(
                    ErrorCode.TOKENIZER,
                    "the tokenizer file '" + file + "' is malformed: " + malformed.getMessage(),
                    malformed);
        }
    }

    /** The library ends the whole process where such a stage finds a text too short for it. Our own stages do not. */
    private static void refuseStripAtEnd(JsonNode decoder) throws IOException {
        for (JsonNode part : decoder.findParents("stop")) {
            if (part.path("stop").asInt() > 0) {
                throw new IOException(
                        "field 'decoder' has a " + part.path("type").asText()
                                + " with 'stop' above 0 beside a stage that only the library can run");
            }
        }
    }

    private static String read(Path file) throws IOException {
        return Files.readString(file, StandardCharsets.UTF_8);
    }

    @Override
    public int[] encode(String text, boolean addSpecialTokens) {
        return settings.splitSpecialTokens()
                ? encodeAsText(text, addSpecialTokens)
                : tokenizer.encode(text, addSpecialTokens);
    }

    @Override
    public int[][] encodeBatch(List<String> texts, boolean addSpecialTokens) {
        return settings.splitSpecialTokens()
                ? texts.stream()
                        .map(text -> encodeAsText(text, addSpecialTokens))
                        .toArray(int[][]::new)
                : tokenizer.encode(texts, addSpecialTokens);
    }

    @Override
    public int[] encodeAsText(String text, boolean addSpecialTokens) {
        return controlTokens.occurIn(text)
                ? disguised().encode(text, addSpecialTokens)
                : tokenizer.encode(text, addSpecialTokens);
    }

    @Override
    public int[] encodeMarked(String text) {
        DisguisedTokenizer plain = disguised();
        return plain.encode(controlTokens.unmarked(text, plain::disguise), false);
    }

    @Override
    public ControlTokens controlTokens() {
        return controlTokens;
    }

    private synchronized DisguisedTokenizer disguised() {
        if (closed) {
            throw new IllegalStateException("the tokenizer of '" + file + "' is closed");
        }
        if (disguised == null) {
            try {
                disguised = new DisguisedTokenizer(file, read(file), added, names);
            } catch (IOException unreadable) {
                throw new KindlingException(
                        ErrorCode.TOKENIZER,
                        "the tokenizer file '" + file + "' cannot be read again: " + unreadable.getMessage(),
                        unreadable);
            }
        }
        return disguised;
    }

    @Override
    public String decode(int[] ids, boolean skipSpecialTokens) {
        IncrementalDetokenizer detokenizer = newDetokenizer(skipSpecialTokens);
        StringBuilder text = new StringBuilder();
        for (int id : ids) {
            text.append(detokenizer.add(id));
        }
        return text.append(detokenizer.finish(false)).toString();
    }

    private String decodeInLibrary(int[] ids, boolean skipSpecialTokens) {
        String text = tokenizer.decode(ids, skipSpecialTokens);
        return cleansUp ? CleanUp.transformers(text) : text;
    }

    @Override
    public Optional<String> specialToken(int id) {
        return names.isSpecial(id) ? Optional.of(names.name(id)) : Optional.empty();
    }

    @Override
    public Optional<TokenBytes> tokenBytes() {
        return tokenBytes;
    }

    @Override
    public IncrementalDetokenizer newDetokenizer(boolean skipSpecialTokens) {
        return decoder.<IncrementalDetokenizer>map(steps -> new StreamingDetokenizer(
                        id -> skipSpecialTokens && names.isSpecial(id) ? null : names.name(id), steps))
                .orElseGet(() -> new WholeDetokenizer(ids -> decodeInLibrary(ids, skipSpecialTokens)));
    }

    @Override
    public void close() {
        tokenizer.close();
        synchronized (this) {
            closed = true;
            if (disguised != null) {
                disguised.close();
            }
        }
    }
}
