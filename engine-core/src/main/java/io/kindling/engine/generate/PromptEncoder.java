package io.kindling.engine.generate;

import io.kindling.engine.GenerationOptions;
import io.kindling.engine.GenerationRequest;
import io.kindling.engine.GenerationRequest.Prompt;
import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import io.kindling.engine.metadata.ModelPackage;
import io.kindling.engine.text.ChatTemplate;
import io.kindling.engine.text.Tokenizer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** Makes the ids to feed from a request's prompt. Thread-safe: tasks encode on their own threads. */
final class PromptEncoder {
    private final ModelPackage model;
    private final Tokenizer tokenizer;
    private final Optional<ChatTemplate> template;

    PromptEncoder(ModelPackage model, Tokenizer tokenizer, Optional<ChatTemplate> template) {
        this.model = model;
        this.tokenizer = tokenizer;
        this.template = template;
    }

    /**
     * The prompt's ids, cut where {@code onOverflow} says so.
     *
     * @throws KindlingException TEMPLATE, TOKENIZER or PROMPT_TOO_LONG
     */
    int[] encode(GenerationRequest request) {
        int[] ids = ids(request.prompt());
        if (ids.length == 0) {
            ids = beginToken();
        }
        return fit(ids, request);
    }

    private int[] ids(Prompt prompt) {
        if (prompt instanceof Prompt.Text text) {
            return tokenizer.encode(text.text(), true);
        }
        if (prompt instanceof Prompt.Chat chat) {
            return tokenizer.encode(render(chat), false);
        }
        return ((Prompt.Ids) prompt).ids().stream().mapToInt(Integer::intValue).toArray();
    }

    private String render(Prompt.Chat chat) {
        ChatTemplate present = template.orElseThrow(() -> new KindlingException(
                ErrorCode.TEMPLATE,
                "the model in '" + model.root() + "' has no chat template; use a raw prompt, or add "
                        + "chat_template.jinja or a chat_template in tokenizer_config.json"));
        Map<String, Object> variables = new HashMap<>();
        variables.put("add_generation_prompt", true);
        model.bosToken().ifPresent(token -> variables.put("bos_token", token));
        model.eosToken().ifPresent(token -> variables.put("eos_token", token));
        return present.render(chat.messages(), variables);
    }

    /** An empty prompt begins with the begin token alone, as Hugging Face's {@code generate} does. */
    private int[] beginToken() {
        int[] ids =
                model.bosToken().map(token -> tokenizer.encode(token, false)).orElse(new int[0]);
        if (ids.length != 1) {
            throw new KindlingException(
                    ErrorCode.TOKENIZER,
                    "the prompt has no tokens and the model no begin token to start from; give a prompt");
        }
        return ids;
    }

    private int[] fit(int[] ids, GenerationRequest request) {
        if (model.contextLength().isEmpty()
                || ids.length < model.contextLength().getAsInt()) {
            return ids;
        }
        int limit = model.contextLength().getAsInt();
        GenerationOptions options = request.options();
        int kept = Math.max(1, limit - Math.max(1, Math.min(options.maxNewTokens(), limit - 1)));
        return switch (options.onOverflow()) {
            case ERROR ->
                throw new KindlingException(
                        ErrorCode.PROMPT_TOO_LONG,
                        "the prompt of row '" + request.id() + "' has " + ids.length
                                + " tokens, the model's context is "
                                + limit + " and the answer needs room; shorten the prompt or set onOverflow to "
                                + "truncate_left or truncate_right");
            case TRUNCATE_LEFT -> Arrays.copyOfRange(ids, ids.length - kept, ids.length);
            case TRUNCATE_RIGHT -> Arrays.copyOf(ids, kept);
        };
    }
}
