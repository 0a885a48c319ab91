package io.kindling.engine.text.jinja;

import io.kindling.engine.text.jinja.Token.Type;
import java.util.ArrayList;
import java.util.List;

/**
 * Cuts a template into text and tags, with jinja2's rules for white space: {@code trim_blocks} and {@code lstrip_blocks} are on,
 * one newline at the end of the template is dropped, and {@code -} and {@code +} beside a delimiter go before both.
 */
final class Lexer {
    private final String source;
    private final List<Token> tokens = new ArrayList<>();
    private final ExpressionLexer expressions;
    private int at;
    /** Whether the last tag ended with a newline, so that the text after it begins a line. */
    private boolean lineStarting = true;

    private Lexer(String source) {
        this.source = source;
        expressions = new ExpressionLexer(source);
    }

    static List<Token> tokens(String template) {
        String source = template.replace("\r\n", "\n").replace('\r', '\n');
        Lexer lexer = new Lexer(source.endsWith("\n") ? source.substring(0, source.length() - 1) : source);
        lexer.run();
        return lexer.tokens;
    }

    private void run() {
        while (at < source.length()) {
            int tag = nextTag(at);
            if (tag < 0) {
                data(source.substring(at), at);
                at = source.length();
                break;
            }
            char kind = source.charAt(tag + 1);
            char sign = tag + 2 < source.length() ? source.charAt(tag + 2) : ' ';
            boolean signed = sign == '-' || sign == '+';
            data(before(source.substring(at, tag), kind, sign), at);
            int inner = tag + (signed ? 3 : 2);
            switch (kind) {
                case '#' -> comment(tag, inner);
                case '{' -> expression(tag, inner, Type.VARIABLE_BEGIN, "}}");
                default -> block(tag, inner);
            }
            lineStarting = source.charAt(at - 1) == '\n';
        }
        tokens.add(new Token(Type.END, "", null, expressions.position(source.length())));
    }

    private int nextTag(int from) {
        for (int k = source.indexOf('{', from); k >= 0 && k + 1 < source.length(); k = source.indexOf('{', k + 1)) {
            char next = source.charAt(k + 1);
            if (next == '{' || next == '%' || next == '#') {
                return k;
            }
        }
        return -1;
    }

    /** The text before a tag, stripped as the tag asks. */
    private String before(String text, char kind, char sign) {
        if (sign == '-') {
            return Whitespace.stripRight(text);
        }
        if (sign != '+' && kind != '{') {
            int line = text.lastIndexOf('\n') + 1;
            if ((line > 0 || lineStarting) && Whitespace.isBlank(text, line)) {
                return text.substring(0, line);
            }
        }
        return text;
    }

    private void data(String text, int from) {
        if (!text.isEmpty()) {
            tokens.add(new Token(Type.DATA, "", text, expressions.position(from)));
        }
    }

    private void comment(int tag, int inner) {
        // The sign belongs to the comment's text where it opens and closes at once, as in {#-#}.
        int end = source.indexOf("#}", Math.min(inner, tag + 2));
        if (end < 0) {
            throw new TemplateError("the comment is not closed", expressions.position(tag));
        }
        at = afterEnd(end, end > tag + 2 ? source.charAt(end - 1) : ' ', true);
    }

    /** Where text goes on after a closing delimiter at {@code end} with a sign before it. */
    private int afterEnd(int end, char sign, boolean trims) {
        int after = end + 2;
        if (sign == '-') {
            return Whitespace.skip(source, after);
        }
        boolean newline = trims && sign != '+' && after < source.length() && source.charAt(after) == '\n';
        return newline ? after + 1 : after;
    }

    private void block(int tag, int inner) {
        int raw = Whitespace.skip(source, inner);
        if (source.startsWith("raw", raw)) {
            int end = Whitespace.skip(source, raw + 3);
            boolean strips = source.startsWith("-%}", end);
            if (strips || source.startsWith("%}", end)) {
                rawText(tag, strips ? Whitespace.skip(source, end + 3) : end + 2);
                return;
            }
        }
        expression(tag, inner, Type.BLOCK_BEGIN, "%}");
    }

    private void rawText(int tag, int from) {
        for (int k = source.indexOf("{%", from); k >= 0; k = source.indexOf("{%", k + 1)) {
            char sign = k + 2 < source.length() ? source.charAt(k + 2) : ' ';
            int name = Whitespace.skip(source, sign == '-' || sign == '+' ? k + 3 : k + 2);
            if (source.startsWith("endraw", name)) {
                int end = Whitespace.skip(source, name + 6);
                char closing = end < source.length() ? source.charAt(end) : ' ';
                int delimiter = closing == '-' || closing == '+' ? end + 1 : end;
                if (source.startsWith("%}", delimiter)) {
                    data(before(source.substring(from, k), '%', sign), from);
                    at = afterEnd(delimiter, delimiter > end ? closing : ' ', true);
                    return;
                }
            }
        }
        throw new TemplateError("the raw block is not closed", expressions.position(tag));
    }

    private void expression(int tag, int inner, Type begin, String delimiter) {
        tokens.add(new Token(begin, "", null, expressions.position(tag)));
        int end = expressions.read(tag, inner, delimiter, tokens);
        Type closing = begin == Type.BLOCK_BEGIN ? Type.BLOCK_END : Type.VARIABLE_END;
        tokens.add(new Token(closing, "", null, expressions.position(end)));
        char sign = source.charAt(end);
        boolean signed = sign == '-' || sign == '+';
        at = afterEnd(signed ? end + 1 : end, signed ? sign : ' ', begin == Type.BLOCK_BEGIN);
    }
}
