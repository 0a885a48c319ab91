package io.kindling.engine;

import io.kindling.engine.GenerationRequest.Prompt;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * How a prompt becomes the text that a model reads; names and meanings are those of Hugging Face's
 * {@code apply_chat_template}. All but {@code chat} and {@code system} are for prompts that a template renders.
 *
 * @param chat whether a plain text is a user's message
 * @param system content of a system message before conversations that do not begin with one; empty for none
 * @param chatTemplate name of one of the model's templates, or a template's text; empty for the one transformers would take
 * @param addGenerationPrompt whether the text ends where an answer begins
 * @param continueFinalMessage field of the last message that the answer continues; empty when it is an answer of its own
 * @param enableThinking what templates of thinking models read
 * @param templateKwargs further template variables; they win over the special tokens and {@code enable_thinking}
 * @param tools function specifications; none is None
 * @param documents for templates that cite them; none is None
 * @param specialTokensInText whether special tokens written out in prompts and messages take effect; else they are text
 * @param templateNow what {@code strftime_now} tells, an ISO local date and time; empty for the clock
 */
public record PromptOptions(
        boolean chat,
        String system,
        String chatTemplate,
        boolean addGenerationPrompt,
        String continueFinalMessage,
        Thinking enableThinking,
        Map<String, Object> templateKwargs,
        List<Map<String, Object>> tools,
        List<Map<String, Object>> documents,
        boolean specialTokensInText,
        String templateNow)
        implements Serializable {

    /** The variable {@code enable_thinking}. */
    public enum Thinking {
        /** Undefined: the template has a default of its own. */
        AUTO,
        TRUE,
        FALSE
    }

    /** The defaults that {@link Options} declares. */
    public static PromptOptions defaults() {
        return OptionTable.standard().defaults().prompt();
    }

    /** A plain text as these options have it: as it is, or as a user's message where {@code chat} or {@code system} is set. */
    public Prompt prompt(String text) {
        return chat || !system.isEmpty()
                ? conversation(List.of(Message.of("user", text)))
                : new Prompt.Text(text, specialTokensInText);
    }

    /** A conversation, after the system message where there is one and the conversation does not begin with its own. */
    public Prompt.Chat conversation(List<Message> messages) {
        if (system.isEmpty() || !messages.isEmpty() && messages.get(0).isInstruction()) {
            return new Prompt.Chat(messages, this);
        }
        List<Message> all = new ArrayList<>(messages.size() + 1);
        all.add(Message.of("system", system));
        all.addAll(messages);
        return new Prompt.Chat(all, this);
    }

    /** These options with other tools and documents. */
    public PromptOptions with(List<Map<String, Object>> otherTools, List<Map<String, Object>> otherDocuments) {
        return with(templateKwargs, otherTools, otherDocuments);
    }

    /** These options with other values for templates. */
    public PromptOptions with(
            Map<String, Object> otherKwargs,
            List<Map<String, Object>> otherTools,
            List<Map<String, Object>> otherDocuments) {
        return new PromptOptions(
                chat,
                system,
                chatTemplate,
                addGenerationPrompt,
                continueFinalMessage,
                enableThinking,
                otherKwargs,
                otherTools,
                otherDocuments,
                specialTokensInText,
                templateNow);
    }
}
