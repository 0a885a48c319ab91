package io.kindling.engine.text.jinja;

import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import java.time.LocalDateTime;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;

/**
 * A chat template in Jinja2, rendered as Hugging Face's transformers does: its sandbox with {@code trim_blocks},
 * {@code lstrip_blocks}, loop controls, {@code generation} blocks, {@code tojson} that leaves text as it is,
 * {@code raise_exception} and {@code strftime_now}. Bounded in steps, depth and size. Thread-safe.
 */
public final class JinjaChatTemplate {
    private final TemplateParser.Parsed parsed;
    private final Supplier<LocalDateTime> clock;

    private JinjaChatTemplate(TemplateParser.Parsed parsed, Supplier<LocalDateTime> clock) {
        this.parsed = parsed;
        this.clock = clock;
    }

    /** @throws KindlingException TEMPLATE with line and column when the template is malformed */
    public static JinjaChatTemplate parse(String template) {
        try {
            return new JinjaChatTemplate(TemplateParser.parse(template), LocalDateTime::now);
        } catch (TemplateError malformed) {
            throw error(malformed, new Position(1, 1));
        } catch (StackOverflowError tooDeep) {
            throw error(new TemplateError("nested too deep"), new Position(1, 1));
        }
    }

    /** The same template with another clock for {@code strftime_now}. */
    public JinjaChatTemplate withClock(Supplier<LocalDateTime> otherClock) {
        return new JinjaChatTemplate(parsed, otherClock);
    }

    /**
     * Renders with any variables; {@code messages} is one of them. What is absent is undefined.
     *
     * @param variables strings, numbers, booleans, lists, maps with text keys, and null
     * @throws KindlingException TEMPLATE with line and column
     */
    public String render(Map<String, Object> variables) {
        Context context = null;
        try {
            Map<String, Object> values = new LinkedHashMap<>();
            variables.forEach((name, value) -> values.put(name, Values.of(value)));
            Context rendering = new Context(values, clock, parsed.nesting());
            context = rendering;
            return rendering.capture(() -> parsed.body().run(rendering));
        } catch (TemplateError fault) {
            throw error(fault, context == null ? new Position(1, 1) : context.position());
        } catch (StackOverflowError tooDeep) {
            throw error(
                    new TemplateError("nested too deep"), context == null ? new Position(1, 1) : context.position());
        }
    }

    private static KindlingException error(TemplateError fault, Position running) {
        Position position = fault.position().orElse(running);
        return new KindlingException(
                ErrorCode.TEMPLATE,
                "chat template, line " + position.line() + ", column " + position.column() + ": " + fault.getMessage(),
                fault);
    }
}
