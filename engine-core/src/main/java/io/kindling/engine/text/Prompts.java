package io.kindling.engine.text;

import io.kindling.engine.GenerationRequest.Prompt;
import io.kindling.engine.Message;
import io.kindling.engine.PromptOptions;
import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalInt;

/** Prompts as the text and the ids that a model reads. Thread-safe; owns nothing. */
public record Prompts(Tokenizer tokenizer, ChatTemplates templates) {
    /**
     * The text; ids are decoded.
     *
     * @throws KindlingException TEMPLATE or TOKENIZER
     */
    public String render(Prompt prompt) {
        if (prompt instanceof Prompt.Text text) {
            return text.text();
        }
        return prompt instanceof Prompt.Chat chat
                ? templates.render(chat)
                : tokenizer.decode(ids((Prompt.Ids) prompt), false);
    }

    /**
     * The ids, whatever their number: at least one, since an empty prompt begins with the begin token alone, as Hugging Face's
     * {@code generate} does.
     *
     * @throws KindlingException TEMPLATE or TOKENIZER
     */
    public int[] encode(Prompt prompt) {
        int[] ids = own(prompt);
        return ids.length == 0 ? new int[] {beginToken().orElseThrow(Prompts::nothingToStartFrom)} : ids;
    }

    /** How many ids {@link #encode} gives; 0 where it has nothing to start from. */
    public int count(Prompt prompt) {
        int own = own(prompt).length;
        return own == 0 && beginToken().isPresent() ? 1 : own;
    }

    private int[] own(Prompt prompt) {
        return prompt instanceof Prompt.Ids given
                ? ids(given)
                : prompt instanceof Prompt.Chat chat ? encode(chat) : encode((Prompt.Text) prompt);
    }

    /** The model's begin token, if it has one that is a single id. */
    public OptionalInt beginToken() {
        int[] ids = templates
                .specialToken("bos_token")
                .map(token -> tokenizer.encode(token, false))
                .orElse(new int[0]);
        return ids.length == 1 ? OptionalInt.of(ids[0]) : OptionalInt.empty();
    }

    private int[] encode(Prompt.Text prompt) {
        return prompt.specialTokens()
                ? tokenizer.encode(prompt.text(), true)
                : tokenizer.encodeAsText(prompt.text(), true);
    }

    private int[] encode(Prompt.Chat chat) {
        ControlTokens tokens = tokenizer.controlTokens();
        return chat.options().specialTokensInText() || !needsMarks(tokens, chat)
                ? tokenizer.encode(templates.render(chat), false)
                : tokenizer.encodeMarked(templates.render(marked(tokens, chat)));
    }

    private static boolean needsMarks(ControlTokens tokens, Prompt.Chat chat) {
        PromptOptions options = chat.options();
        return chat.messages().stream().anyMatch(message -> tokens.needMarks(message.fields()))
                || tokens.needMarks(options.tools())
                || tokens.needMarks(options.documents())
                || tokens.needMarks(texts(options.templateKwargs()));
    }

    private static Prompt.Chat marked(ControlTokens tokens, Prompt.Chat chat) {
        PromptOptions options = chat.options();
        Map<String, Object> variables = new LinkedHashMap<>(options.templateKwargs());
        variables.putAll(tokens.marked(texts(options.templateKwargs())));
        return new Prompt.Chat(
                chat.messages().stream()
                        .map(message -> new Message(tokens.marked(message.fields())))
                        .toList(),
                options.with(
                        variables,
                        options.tools().stream().map(tokens::marked).toList(),
                        options.documents().stream().map(tokens::marked).toList()));
    }

    /** Variables that may hold a user's text: not those that stand for a special token, such as {@code bos_token}. */
    private static Map<String, Object> texts(Map<String, Object> variables) {
        Map<String, Object> texts = new LinkedHashMap<>(variables);
        texts.keySet().removeIf(name -> name.endsWith("_token"));
        return texts;
    }

    private static int[] ids(Prompt.Ids prompt) {
        return prompt.ids().stream().mapToInt(Integer::intValue).toArray();
    }

    private static KindlingException nothingToStartFrom() {
        return new KindlingException(
                ErrorCode.TOKENIZER,
                "the prompt has no tokens and the model no begin token to start from; give a prompt");
    }
}
