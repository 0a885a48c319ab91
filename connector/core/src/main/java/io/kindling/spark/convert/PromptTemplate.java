package io.kindling.spark.convert;

import io.kindling.engine.error.OptionException;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.functions;

/**
 * A prompt with columns in it: {@code "Translate: {text}"}. {@code {a.b}} reaches into structs; {@code {{} and {@code }}}
 * are the braces themselves. A row with a NULL in one of its columns has a NULL prompt.
 */
public final class PromptTemplate {
    private final List<Part> parts;

    private PromptTemplate(List<Part> parts) {
        this.parts = List.copyOf(parts);
    }

    private record Part(boolean isColumn, String text) {
        Column toColumn() {
            return isColumn ? functions.col(text).cast("string") : functions.lit(text);
        }
    }

    /** @throws OptionException for a brace without its partner or an empty column name */
    public static PromptTemplate parse(String template) {
        List<Part> parts = new ArrayList<>();
        StringBuilder literal = new StringBuilder();
        int at = 0;
        while (at < template.length()) {
            char c = template.charAt(at);
            boolean doubled = at + 1 < template.length() && template.charAt(at + 1) == c;
            if ((c == '{' || c == '}') && doubled) {
                literal.append(c);
                at += 2;
            } else if (c == '{') {
                int end = template.indexOf('}', at);
                String name = end < 0 ? "" : template.substring(at + 1, end).strip();
                if (name.isEmpty() || name.indexOf('{') >= 0) {
                    throw problem(template, at, "has no column name and '}' after it");
                }
                if (literal.length() > 0) {
                    parts.add(new Part(false, literal.toString()));
                    literal.setLength(0);
                }
                parts.add(new Part(true, name));
                at = end + 1;
            } else if (c == '}') {
                throw problem(template, at, "has no '{' before it");
            } else {
                literal.append(c);
                at++;
            }
        }
        if (literal.length() > 0 || parts.isEmpty()) {
            parts.add(new Part(false, literal.toString()));
        }
        return new PromptTemplate(parts);
    }

    private static OptionException problem(String template, int at, String what) {
        return new OptionException("prompt template \"" + template + "\": '" + template.charAt(at) + "' at position "
                + at + ' ' + what + "; write {column} for a column and {{ or }} for a brace itself");
    }

    /** The prompt as an expression over the input's columns. */
    public Column toColumn() {
        return functions.concat(parts.stream().map(Part::toColumn).toArray(Column[]::new));
    }
}
