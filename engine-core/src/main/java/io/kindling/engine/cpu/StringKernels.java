package io.kindling.engine.cpu;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.OperatorException;
import io.kindling.engine.ir.Attribute;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Node;
import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.KernelRequest;
import io.kindling.engine.provider.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/** {@code StringConcat}, {@code StringSplit}, {@code StringNormalizer} and {@code RegexFullMatch}. */
final class StringKernels {
    private StringKernels() {}

    static void register(CpuKernels.Registrar registrar) {
        registrar.register("", "StringConcat", 20, request -> concat());
        registrar.register("", "StringSplit", 20, StringKernels::split);
        registrar.register("", "StringNormalizer", 10, StringKernels::normalizer);
        registrar.register("", "RegexFullMatch", 20, StringKernels::fullMatch);
    }

    private static Kernel concat() {
        return context -> {
            Tensor x = context.input(0);
            Tensor y = context.input(1);
            long[] shape = Shapes.broadcast(x.shape(), y.shape());
            String[] joined = new String[Math.toIntExact(Tensor.count(shape))];
            new BroadcastLoop(shape, x.shape(), y.shape()).forEach((out, in, count, strides) -> {
                for (int k = 0; k < count; k++) {
                    joined[out + k] = x.strings()[in[0] + k * strides[0]] + y.strings()[in[1] + k * strides[1]];
                }
            });
            context.outputStrings(0, joined, shape);
        };
    }

    private static Kernel split(KernelRequest request) {
        String delimiter = request.node().stringAttribute("delimiter", "");
        long limit = request.node().intAttribute("maxsplit", Long.MAX_VALUE);
        return context -> {
            Tensor x = context.input(0);
            Tensor counts = context.hasOutput(1) ? context.output(1, DataType.INT64, x.shape()) : null;
            List<List<String>> parts = new ArrayList<>();
            int longest = 0;
            for (String text : x.strings()) {
                List<String> found = delimiter.isEmpty() ? words(text, limit) : pieces(text, delimiter, limit);
                if (counts != null) {
                    counts.longs().put(parts.size(), found.size());
                }
                longest = Math.max(longest, found.size());
                parts.add(found);
            }
            long[] shape = Arrays.copyOf(x.shape(), x.rank() + 1);
            shape[x.rank()] = longest;
            String[] padded = new String[Math.multiplyExact(parts.size(), longest)];
            Arrays.fill(padded, "");
            for (int k = 0; k < parts.size(); k++) {
                for (int i = 0; i < parts.get(k).size(); i++) {
                    padded[k * longest + i] = parts.get(k).get(i);
                }
            }
            context.outputStrings(0, padded, shape);
        };
    }

    private static List<String> pieces(String text, String delimiter, long limit) {
        List<String> pieces = new ArrayList<>();
        int from = 0;
        for (int at = text.indexOf(delimiter); at >= 0 && pieces.size() < limit; at = text.indexOf(delimiter, from)) {
            pieces.add(text.substring(from, at));
            from = at + delimiter.length();
        }
        pieces.add(text.substring(from));
        return pieces;
    }

    /** Runs of characters that are no whitespace; what is left after {@code limit} of them is the last piece. */
    private static List<String> words(String text, long limit) {
        List<String> words = new ArrayList<>();
        int at = skip(text, 0, true);
        while (at < text.length()) {
            int end = words.size() < limit ? skip(text, at, false) : text.length();
            words.add(text.substring(at, end));
            at = skip(text, end, true);
        }
        return words;
    }

    private static int skip(String text, int from, boolean spaces) {
        int at = from;
        while (at < text.length() && isSpace(text.charAt(at)) == spaces) {
            at++;
        }
        return at;
    }

    /** Unicode's White_Space and the four ASCII separators, as Python's str.split has it. */
    private static boolean isSpace(char c) {
        return Character.isWhitespace(c) || Character.isSpaceChar(c) || c == '\u0085';
    }

    private static Kernel normalizer(KernelRequest request) {
        Node node = request.node();
        Locale locale = Locale.forLanguageTag(
                node.stringAttribute("locale", "en_US").replace('_', '-').replaceAll("\\..*", ""));
        boolean sensitive = node.intAttribute("is_case_sensitive", 0) != 0;
        UnaryOperator<String> change =
                switch (node.stringAttribute("case_change_action", "NONE")) {
                    case "LOWER" -> text -> text.toLowerCase(locale);
                    case "UPPER" -> text -> text.toUpperCase(locale);
                    case "NONE" -> UnaryOperator.identity();
                    default ->
                        throw Shapes.invalid("case_change_action " + node.stringAttribute("case_change_action", "")
                                + " is none of LOWER, UPPER and NONE");
                };
        UnaryOperator<String> key = sensitive ? UnaryOperator.identity() : text -> text.toLowerCase(locale);
        Set<String> stopWords = node.attribute("stopwords").orElse(null) instanceof Attribute.StringsValue words
                ? words.values().stream().map(word -> key.apply(word.text())).collect(Collectors.toSet())
                : Set.of();
        return context -> {
            Tensor x = context.input(0);
            if (x.rank() == 0 || x.rank() > 2 || x.rank() == 2 && x.dim(0) != 1) {
                throw Shapes.invalid("X must be [C] or [1, C], not " + x);
            }
            String[] kept = Arrays.stream(x.strings())
                    .filter(word -> !stopWords.contains(key.apply(word)))
                    .map(change)
                    .toArray(String[]::new);
            String[] result = kept.length == 0 ? new String[] {""} : kept;
            long[] shape = x.shape().clone();
            shape[x.rank() - 1] = result.length;
            context.outputStrings(0, result, shape);
        };
    }

    private static Kernel fullMatch(KernelRequest request) {
        Node node = request.node();
        Pattern pattern;
        try {
            pattern = Pattern.compile(node.stringAttribute("pattern", ""));
        } catch (PatternSyntaxException fault) {
            throw new OperatorException(
                    ErrorCode.MODEL_INVALID,
                    node.operator(),
                    node.name(),
                    "attribute pattern is not RE2 syntax: " + fault.getMessage(),
                    fault);
        }
        return context -> {
            Tensor x = context.input(0);
            Tensor y = context.output(0, DataType.BOOL, x.shape());
            for (int k = 0; k < x.elementCount(); k++) {
                y.bytes().put(k, (byte) (pattern.matches(x.strings()[k]) ? 1 : 0));
            }
        };
    }
}
