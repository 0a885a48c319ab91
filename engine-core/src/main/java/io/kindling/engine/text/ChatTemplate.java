package io.kindling.engine.text;

import io.kindling.engine.Message;
import java.util.List;
import java.util.Map;

/** A model's chat template. Thread-safe. */
public interface ChatTemplate {
    /**
     * Renders a conversation.
     *
     * @param variables further template variables ({@code add_generation_prompt}, {@code tools}, {@code bos_token}, …), as they are
     * @throws io.kindling.engine.error.KindlingException TEMPLATE, with line and column
     */
    String render(List<Message> messages, Map<String, Object> variables);
}
