package io.kindling.engine.text;

import io.kindling.engine.GenerationRequest.Prompt;
import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;

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
        int[] ids = prompt instanceof Prompt.Ids given
                ? ids(given)
                : tokenizer.encode(render(prompt), prompt instanceof Prompt.Text);
        return ids.length == 0 ? beginToken() : ids;
    }

    private static int[] ids(Prompt.Ids prompt) {
        return prompt.ids().stream().mapToInt(Integer::intValue).toArray();
    }

    private int[] beginToken() {
        int[] ids = templates
                .specialToken("bos_token")
                .map(token -> tokenizer.encode(token, false))
                .orElse(new int[0]);
        if (ids.length != 1) {
            throw new KindlingException(
                    ErrorCode.TOKENIZER,
                    "the prompt has no tokens and the model no begin token to start from; give a prompt");
        }
        return ids;
    }
}
