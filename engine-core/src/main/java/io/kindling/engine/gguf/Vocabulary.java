package io.kindling.engine.gguf;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The tokens of a file by id, from {@code tokenizer.ggml.tokens} and {@code token_type}, checked.
 *
 * <p>Rows of the embedding without a token are written by llama.cpp's converters as unused tokens named {@code [PAD<n>]}:
 * the model's own tokenizer has nothing at their ids, so they are placeholders here.
 */
final class Vocabulary {
    static final long NORMAL = 1;
    static final long UNKNOWN = 2;
    static final long CONTROL = 3;
    static final long USER_DEFINED = 4;
    static final long UNUSED = 5;
    static final long BYTE = 6;

    private static final String PREFIX = "tokenizer.ggml.";
    private static final int MAX_TOKENS = 1 << 22;
    private static final Pattern PLACEHOLDER = Pattern.compile("\\[PAD\\d+]");

    private final GgufFile file;
    private final List<String> tokens;
    private final long[] types;
    private final Map<String, Integer> ids;

    private Vocabulary(GgufFile file, List<String> tokens, long[] types) {
        this.file = file;
        this.tokens = tokens;
        this.types = types;
        this.ids = idsOf();
    }

    /** @param rows of the embedding: the most tokens there can be */
    static Vocabulary of(GgufFile file, int rows) {
        List<String> tokens = strings(file, PREFIX + "tokens");
        int most = Math.min(rows, MAX_TOKENS);
        if (tokens.isEmpty() || tokens.size() > most) {
            throw file.invalid(
                    "metadata tokenizer.ggml.tokens", "has " + tokens.size() + " entries, expected 1 to " + most);
        }
        return new Vocabulary(file, tokens, types(file, tokens.size()));
    }

    private static long[] types(GgufFile file, int count) {
        long[] types = new long[count];
        Optional<List<Number>> given = numbers(file, "token_type", count);
        Arrays.setAll(types, id -> given.map(list -> list.get(id).longValue()).orElse(NORMAL));
        return types;
    }

    /** @throws io.kindling.engine.error.ModelException MODEL_INVALID when a token has two ids */
    private Map<String, Integer> idsOf() {
        Map<String, Integer> known = new HashMap<>(tokens.size() * 2);
        for (int id = 0; id < tokens.size(); id++) {
            if (isPlaceholder(id)) {
                continue;
            }
            Integer before = known.putIfAbsent(tokens.get(id), id);
            if (before != null) {
                throw file.invalid(
                        "metadata tokenizer.ggml.tokens",
                        "has '" + abbreviated(tokens.get(id)) + "' twice, as " + before + " and " + id);
            }
        }
        return Collections.unmodifiableMap(known);
    }

    /** The same tokens with other texts. */
    Vocabulary with(List<String> texts, Map<Integer, Long> otherTypes) {
        long[] changed = types.clone();
        otherTypes.forEach((id, type) -> changed[id] = type);
        return new Vocabulary(file, List.copyOf(texts), changed);
    }

    GgufFile file() {
        return file;
    }

    int size() {
        return tokens.size();
    }

    List<String> tokens() {
        return tokens;
    }

    String token(int id) {
        return tokens.get(id);
    }

    long type(int id) {
        return types[id];
    }

    boolean has(long type) {
        return Arrays.stream(types).anyMatch(each -> each == type);
    }

    boolean isPlaceholder(int id) {
        return types[id] == UNUSED && PLACEHOLDER.matcher(tokens.get(id)).matches();
    }

    /** Ids by text, without placeholders. */
    Map<String, Integer> ids() {
        return ids;
    }

    /** Scores by id. */
    double[] scores() {
        List<Number> scores = numbers(file, "scores", tokens.size())
                .orElseThrow(() -> file.invalid("metadata " + PREFIX + "scores", "is missing"));
        return scores.stream().mapToDouble(Number::doubleValue).toArray();
    }

    /** {@code tokenizer.ggml.merges}: pairs of tokens whose texts together are a third, best first. */
    List<Merge> merges() {
        List<Merge> merges = new ArrayList<>();
        for (String text : strings(file, PREFIX + "merges")) {
            int space = text.indexOf(' ', 1);
            String left = space < 0 ? "" : text.substring(0, space);
            String right = space < 0 ? "" : text.substring(space + 1);
            if (!ids.containsKey(left) || !ids.containsKey(right) || !ids.containsKey(left + right)) {
                throw file.invalid(
                        "metadata tokenizer.ggml.merges",
                        "'" + abbreviated(text) + "' does not join two tokens to a third");
            }
            merges.add(new Merge(left, right));
        }
        return merges;
    }

    /** Two neighbouring tokens that become one. */
    record Merge(String left, String right) {}

    static List<String> strings(GgufFile file, String key) {
        List<?> entries = file.require(key, List.class);
        List<String> strings = new ArrayList<>(entries.size());
        for (Object entry : entries) {
            if (!(entry instanceof String text)) {
                throw file.invalid(
                        "metadata " + key, "is no list of strings: entry " + strings.size() + " is " + entry);
            }
            strings.add(text);
        }
        return strings;
    }

    private static Optional<List<Number>> numbers(GgufFile file, String key, int count) {
        return file.find(PREFIX + key, List.class).map(entries -> {
            if (entries.size() != count) {
                throw file.invalid(
                        "metadata " + PREFIX + key, "has " + entries.size() + " entries for " + count + " tokens");
            }
            List<Number> numbers = new ArrayList<>(count);
            for (Object entry : entries) {
                if (!(entry instanceof Number number) || !Double.isFinite(number.doubleValue())) {
                    throw file.invalid(
                            "metadata " + PREFIX + key,
                            "is no list of finite numbers: entry " + numbers.size() + " is " + entry);
                }
                numbers.add(number);
            }
            return numbers;
        });
    }

    private static String abbreviated(String text) {
        return text.length() <= 40 ? text : text.substring(0, 40) + "…";
    }
}
