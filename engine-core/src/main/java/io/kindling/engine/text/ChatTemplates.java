package io.kindling.engine.text;

import io.kindling.engine.GenerationRequest.Prompt;
import io.kindling.engine.PromptOptions;
import io.kindling.engine.PromptOptions.Thinking;
import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import io.kindling.engine.text.jinja.JinjaChatTemplate;
import java.time.LocalDateTime;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/**
 * The chat templates of a model and the special tokens that they read, used as {@code apply_chat_template} of Hugging Face's
 * transformers 5 does. A template is parsed when it first renders, so that a malformed one harms raw prompts nothing.
 * Thread-safe.
 */
public final class ChatTemplates {
    /** A model has one or two; options may bring others, in the worst case one a row. */
    private static final int MOST_PARSED = 64;

    private static final String DEFAULT = "default";
    private static final String TOOL_USE = "tool_use";

    private final String owner;
    private final Map<String, String> texts;
    private final Map<String, Object> specialTokens;
    private final Map<String, JinjaChatTemplate> parsed = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, JinjaChatTemplate> eldest) {
            return size() > MOST_PARSED;
        }
    };

    /**
     * @param owner whose templates they are, for messages: {@code the model in '/models/x'}
     * @param texts templates by name; a model's only one is {@code default}
     * @param specialTokens variables of every template: {@code bos_token}, …
     */
    public ChatTemplates(String owner, Map<String, String> texts, Map<String, Object> specialTokens) {
        this.owner = owner;
        this.texts = Collections.unmodifiableMap(new LinkedHashMap<>(texts));
        this.specialTokens = Collections.unmodifiableMap(new LinkedHashMap<>(specialTokens));
    }

    /** Templates by name. */
    public Map<String, String> texts() {
        return texts;
    }

    /** Variables of every template. */
    public Map<String, Object> specialTokens() {
        return specialTokens;
    }

    /** The text of a special token such as {@code bos_token}. */
    public Optional<String> specialToken(String name) {
        return specialTokens.get(name) instanceof String text ? Optional.of(text) : Optional.empty();
    }

    /**
     * The text of the template to use.
     *
     * @param chosen a template's name or text; empty for {@code tool_use} where tools are given and the model has it, else
     *     {@code default}
     * @throws KindlingException TEMPLATE when there is none
     */
    public String choose(String chosen, boolean tools) {
        if (texts.containsKey(chosen)) {
            return texts.get(chosen);
        }
        if (!chosen.isEmpty()) {
            if (chosen.indexOf('{') < 0) {
                throw none("has no template named '" + chosen + "'; " + known());
            }
            return chosen;
        }
        if (tools && texts.containsKey(TOOL_USE)) {
            return texts.get(TOOL_USE);
        }
        if (texts.containsKey(DEFAULT)) {
            return texts.get(DEFAULT);
        }
        throw texts.isEmpty()
                ? none("has no chat template; use a raw prompt, set chat_template, or add chat_template.jinja or a"
                        + " chat_template in tokenizer_config.json")
                : none("has several chat templates and none is the default; set chat_template to a name: " + known());
    }

    private String known() {
        return texts.isEmpty()
                ? "it has no templates"
                : "its templates are " + String.join(", ", new TreeSet<>(texts.keySet()));
    }

    private KindlingException none(String problem) {
        return new KindlingException(ErrorCode.TEMPLATE, owner + ' ' + problem);
    }

    /**
     * The text of a conversation.
     *
     * @throws KindlingException TEMPLATE, with line and column where the template is at fault
     */
    public String render(Prompt.Chat chat) {
        PromptOptions options = chat.options();
        if (chat.messages().isEmpty()) {
            throw new KindlingException(ErrorCode.TEMPLATE, "the conversation is empty; give at least one message");
        }
        String text = choose(options.chatTemplate(), !options.tools().isEmpty());
        JinjaChatTemplate template = at(template(text), options.templateNow());
        List<Map<String, Object>> messages = TemplateMessages.of(chat.messages());
        Map<String, Object> variables = variables(options);
        variables.put("messages", messages);
        if (options.continueFinalMessage().isEmpty()) {
            return template.render(variables);
        }
        return new ContinuedMessage(options.continueFinalMessage())
                .render(text, messages, () -> template.render(variables));
    }

    private Map<String, Object> variables(PromptOptions options) {
        Map<String, Object> variables = new LinkedHashMap<>(specialTokens);
        if (options.enableThinking() != Thinking.AUTO) {
            variables.put("enable_thinking", options.enableThinking() == Thinking.TRUE);
        }
        variables.putAll(options.templateKwargs());
        variables.put("tools", options.tools().isEmpty() ? null : options.tools());
        variables.put("documents", options.documents().isEmpty() ? null : options.documents());
        variables.put("add_generation_prompt", options.addGenerationPrompt());
        return variables;
    }

    /** A template, parsed. */
    private JinjaChatTemplate template(String text) {
        synchronized (parsed) {
            JinjaChatTemplate known = parsed.get(text);
            if (known != null) {
                return known;
            }
        }
        JinjaChatTemplate template = JinjaChatTemplate.parse(text);
        synchronized (parsed) {
            parsed.put(text, template);
        }
        return template;
    }

    private static JinjaChatTemplate at(JinjaChatTemplate template, String now) {
        return now.isEmpty() ? template : template.withClock(() -> LocalDateTime.parse(now));
    }
}
