package io.kindling.engine.cpu;

import io.kindling.engine.ir.Node;
import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.KernelContext;
import io.kindling.engine.provider.KernelRequest;
import io.kindling.engine.provider.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * {@code com.microsoft::Tokenizer} (since 1), as scikit-learn's text vectorisers are exported: each string becomes a row of tokens, padded to
 * the longest row. Tokens are the matches of {@code tokenexp}, what is between matches of the {@code separators}, or single characters.
 */
final class TokenizerKernel implements Kernel {
    private static final String START = "\u0002";
    private static final String END = "\u0003";

    private final boolean mark;
    private final String padding;
    private final int minimum;
    private final Pattern token;
    private final List<Pattern> separators = new ArrayList<>();
    private final boolean characters;

    private TokenizerKernel(Node node) {
        MlAttributes attributes = new MlAttributes(node);
        mark = node.intAttribute("mark", 0) != 0;
        padding = node.stringAttribute("pad_value", "");
        minimum = (int) node.intAttribute("mincharnum", 1);
        String[] texts = attributes.strings("separators");
        String expression = node.stringAttribute("tokenexp", "");
        characters = texts.length == 1 && texts[0].isEmpty();
        if (expression.isEmpty() && texts.length == 0) {
            throw attributes.invalid("has neither separators nor tokenexp");
        }
        try {
            token = expression.isEmpty() ? null : Pattern.compile(expression, Pattern.UNICODE_CHARACTER_CLASS);
            for (String text : characters ? new String[0] : texts) {
                separators.add(Pattern.compile(text, Pattern.UNICODE_CHARACTER_CLASS));
            }
        } catch (PatternSyntaxException fault) {
            throw attributes.invalid(
                    "has the expression '" + fault.getPattern() + "', which is none: " + fault.getDescription());
        }
    }

    static Kernel create(KernelRequest request) {
        return new TokenizerKernel(request.node());
    }

    @Override
    public void execute(KernelContext context) {
        Tensor x = context.input(0);
        List<List<String>> rows = new ArrayList<>();
        int longest = 0;
        for (String text : x.strings()) {
            List<String> tokens = tokens(text);
            rows.add(tokens);
            longest = Math.max(longest, tokens.size());
        }
        int width = longest == 0 ? 0 : longest + (mark ? 2 : 0);
        String[] output = new String[rows.size() * width];
        Arrays.fill(output, padding);
        for (int row = 0; width > 0 && row < rows.size(); row++) {
            List<String> tokens = rows.get(row);
            int at = row * width;
            if (mark) {
                output[at++] = START;
                output[at + tokens.size()] = END;
            }
            for (String text : tokens) {
                output[at++] = text;
            }
        }
        long[] shape = Arrays.copyOf(x.shape(), x.rank() + 1);
        shape[x.rank()] = width;
        context.outputStrings(0, output, shape);
    }

    private List<String> tokens(String text) {
        List<String> tokens = new ArrayList<>();
        if (characters) {
            text.codePoints().forEach(point -> tokens.add(Character.toString(point)));
            return tokens;
        }
        if (token != null) {
            Matcher matcher = token.matcher(text);
            while (matcher.find()) {
                tokens.add(matcher.group());
            }
        } else {
            List<String> parts = List.of(text);
            for (Pattern separator : separators) {
                parts = parts.stream().flatMap(separator::splitAsStream).toList();
            }
            tokens.addAll(parts);
        }
        tokens.removeIf(part -> part.isEmpty() || part.codePointCount(0, part.length()) < minimum);
        return tokens;
    }
}
