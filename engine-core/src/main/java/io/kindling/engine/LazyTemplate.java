package io.kindling.engine;

import io.kindling.engine.text.ChatTemplate;
import io.kindling.engine.text.jinja.JinjaChatTemplate;
import java.util.List;
import java.util.Map;

/** A template that is parsed when it first renders. */
final class LazyTemplate implements ChatTemplate {
    private final String text;
    private volatile JinjaChatTemplate parsed;

    LazyTemplate(String text) {
        this.text = text;
    }

    @Override
    public String render(List<Message> messages, Map<String, Object> variables) {
        JinjaChatTemplate template = parsed;
        if (template == null) {
            template = JinjaChatTemplate.parse(text);
            parsed = template;
        }
        return template.render(messages, variables);
    }
}
