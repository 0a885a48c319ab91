package io.kindling.engine.generate;

import io.kindling.engine.GenerationOptions;
import io.kindling.engine.GenerationRequest;
import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import io.kindling.engine.metadata.ModelPackage;
import io.kindling.engine.text.Prompts;
import io.kindling.engine.text.Tokenizer;
import java.util.Arrays;
import java.util.OptionalInt;

/** Makes the ids to feed from a request's prompt. Thread-safe: tasks encode on their own threads. */
final class PromptEncoder {
    private final ModelPackage model;
    private final Prompts prompts;

    PromptEncoder(ModelPackage model, Tokenizer tokenizer) {
        this.model = model;
        prompts = new Prompts(tokenizer, model.chatTemplates());
    }

    /**
     * The prompt's ids, cut where {@code onOverflow} says so.
     *
     * @throws KindlingException TEMPLATE, TOKENIZER or PROMPT_TOO_LONG
     */
    int[] encode(GenerationRequest request) {
        return fit(prompts.encode(request.prompt()), request);
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
            case TRUNCATE_LEFT -> end(ids, kept);
            case TRUNCATE_RIGHT -> Arrays.copyOf(ids, kept);
        };
    }

    /** The last ids; a begin token that comes first stays so, since models were trained to find it there. */
    private int[] end(int[] ids, int kept) {
        int[] end = Arrays.copyOfRange(ids, ids.length - kept, ids.length);
        OptionalInt begin = prompts.beginToken();
        if (begin.isPresent() && ids[0] == begin.getAsInt()) {
            end[0] = ids[0];
        }
        return end;
    }
}
