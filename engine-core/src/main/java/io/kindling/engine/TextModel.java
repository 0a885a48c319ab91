package io.kindling.engine;

import io.kindling.engine.GenerationRequest.Prompt;
import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import io.kindling.engine.metadata.TextFiles;
import io.kindling.engine.text.ChatTemplates;
import io.kindling.engine.text.HuggingFaceTokenizer;
import io.kindling.engine.text.Prompts;
import io.kindling.engine.text.Tokenizer;
import java.nio.file.Path;

/**
 * The text half of a model package: its tokenizer and chat templates. Reads neither graph nor weights, which may be missing
 * altogether; only a {@code .gguf} file is converted as a whole, once. The tokenizer is loaded when first asked for.
 * Thread-safe.
 */
public final class TextModel implements AutoCloseable {
    private final TextFiles files;
    private Tokenizer tokenizer;
    private boolean closed;

    private TextModel(TextFiles files) {
        this.files = files;
    }

    /**
     * Opens the text half of what {@link Model#open} opens.
     *
     * @throws KindlingException NOT_FOUND, MODEL_INVALID or TEMPLATE for the package's files
     */
    public static TextModel open(Path location) {
        return new TextModel(
                TextFiles.open(GgufPackages.isGguf(location) ? GgufPackages.packageOf(location) : location));
    }

    public ChatTemplates chatTemplates() {
        return files.chatTemplates();
    }

    /** @throws KindlingException TOKENIZER when the package has none or it is malformed */
    public synchronized Tokenizer tokenizer() {
        if (closed) {
            throw new KindlingException(ErrorCode.CANCELLED, "the tokenizer of '" + files.root() + "' is closed");
        }
        if (tokenizer == null) {
            tokenizer = HuggingFaceTokenizer.open(files.tokenizerFile().orElseThrow(() -> missing(files.root())));
        }
        return tokenizer;
    }

    static KindlingException missing(Path root) {
        return new KindlingException(
                ErrorCode.TOKENIZER,
                "the model in '" + root
                        + "' has no tokenizer.json, which text needs; copy it from the model's Hugging Face repository");
    }

    /**
     * The text of a prompt.
     *
     * @throws KindlingException TEMPLATE or TOKENIZER
     */
    public String render(Prompt prompt) {
        return prompt instanceof Prompt.Chat chat
                ? chatTemplates().render(chat)
                : new Prompts(tokenizer(), chatTemplates()).render(prompt);
    }

    /**
     * The ids that generation is fed with a prompt, before it is cut to the model's context.
     *
     * @throws KindlingException TEMPLATE or TOKENIZER
     */
    public int[] encode(Prompt prompt) {
        return new Prompts(tokenizer(), chatTemplates()).encode(prompt);
    }

    /**
     * How many ids generation is fed with a prompt; 0 for an empty one where the model has no begin token, which generation refuses.
     *
     * @throws KindlingException TEMPLATE or TOKENIZER
     */
    public int count(Prompt prompt) {
        return new Prompts(tokenizer(), chatTemplates()).count(prompt);
    }

    @Override
    public synchronized void close() {
        closed = true;
        if (tokenizer != null) {
            tokenizer.close();
            tokenizer = null;
        }
    }
}
