package io.kindling.engine;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.math.BigDecimal;
import java.time.LocalDateTime;
import java.time.format.DateTimeParseException;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.DoublePredicate;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The types of options. */
public final class OptionTypes {
    private static final ObjectMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();
    private static final Pattern SIZE = Pattern.compile("(\\d{1,18})\\s*([kmgt]?)i?b?");

    private OptionTypes() {}

    /** @param write the value as text; {@code read} gives its own text back to the same value */
    private record Simple<T>(
            Function<Object, T> reader,
            Function<T, String> writer,
            String allowed,
            List<String> choices,
            boolean isList,
            boolean isJson)
            implements OptionType<T> {
        @Override
        public T read(Object raw) {
            return reader.apply(raw);
        }

        @Override
        public String write(T value) {
            return writer.apply(value);
        }
    }

    private static <T> OptionType<T> simple(Function<Object, T> reader, Function<T, String> writer, String allowed) {
        return new Simple<>(reader, writer, allowed, List.of(), false, false);
    }

    /** {@code true} or {@code false}, nothing else. */
    public static OptionType<Boolean> bool() {
        return choice(Map.of("true", true, "false", false), List.of("true", "false"));
    }

    /** As {@link #bool}, or the words that environment variables switch things with: 1, yes, on, 0, no, off. */
    public static OptionType<Boolean> flag() {
        Map<String, Boolean> words = new LinkedHashMap<>();
        words.put("true", true);
        words.put("false", false);
        List.of("1", "yes", "on").forEach(word -> words.put(word, true));
        List.of("0", "no", "off").forEach(word -> words.put(word, false));
        return choice(words, List.of("true", "false"));
    }

    /** An integer in a closed range. */
    public static OptionType<Integer> integer(int min, int max) {
        String allowed = "an integer from " + min + " to " + max;
        return simple(raw -> (int) integral(raw, min, max, allowed), String::valueOf, allowed);
    }

    /** Any 64-bit integer. */
    public static OptionType<Long> longInteger() {
        String allowed = "a 64-bit integer";
        return simple(raw -> integral(raw, Long.MIN_VALUE, Long.MAX_VALUE, allowed), String::valueOf, allowed);
    }

    /** A finite number in a closed range. */
    public static OptionType<Double> number(double min, double max) {
        String allowed = "a number from " + plain(min) + " to " + plain(max);
        return simple(raw -> finite(raw, v -> v >= min && v <= max, allowed), OptionTypes::plain, allowed);
    }

    /** A finite number above {@code min} and up to {@code max}. */
    public static OptionType<Double> numberAbove(double min, double max) {
        String allowed = "a number above " + plain(min) + ", up to " + plain(max);
        return simple(raw -> finite(raw, v -> v > min && v <= max, allowed), OptionTypes::plain, allowed);
    }

    /** A size in bytes, of at least 0; text may end in k, m, g or t, powers of 1024. */
    public static OptionType<Long> bytes() {
        String allowed = "a size in bytes, such as 0, 512m or 2g";
        return simple(raw -> size(raw, allowed), String::valueOf, allowed);
    }

    /** One of an enum's constants, in lower case. */
    public static <E extends Enum<E>> OptionType<E> choice(Class<E> type) {
        Map<String, E> byName = new LinkedHashMap<>();
        for (E constant : type.getEnumConstants()) {
            byName.put(constant.name().toLowerCase(Locale.ROOT), constant);
        }
        return choice(byName, List.copyOf(byName.keySet()));
    }

    /** One of a few words; upper case is as good as lower case. */
    public static <T> OptionType<T> choice(Map<String, T> byName, List<String> order) {
        String allowed = "one of " + String.join(", ", order);
        Function<T, String> writer = value -> byName.entrySet().stream()
                .filter(entry -> entry.getValue().equals(value))
                .findFirst()
                .orElseThrow()
                .getKey();
        Function<Object, T> reader = raw -> {
            T value = byName.get(String.valueOf(raw).trim().toLowerCase(Locale.ROOT));
            if (value == null) {
                throw refused(allowed, raw);
            }
            return value;
        };
        return new Simple<>(reader, writer, allowed, order, false, false);
    }

    /** Text of a form. */
    public static OptionType<String> text(Pattern form, String allowed) {
        return simple(
                raw -> {
                    String text = String.valueOf(raw).trim();
                    if (!form.matcher(text).matches()) {
                        throw refused(allowed, raw);
                    }
                    return text;
                },
                Function.identity(),
                allowed);
    }

    /** Any text, blanks and all. */
    public static OptionType<String> anyText() {
        return simple(String::valueOf, Function.identity(), "a text");
    }

    /** A date and time of no zone, kept as its ISO text; empty for none. */
    public static OptionType<String> localTime() {
        String allowed = "a date and time such as 2026-01-31T09:00:00";
        return simple(
                raw -> {
                    String text = String.valueOf(raw).trim();
                    try {
                        return text.isEmpty() ? text : LocalDateTime.parse(text).toString();
                    } catch (DateTimeParseException malformed) {
                        throw refused(allowed, raw);
                    }
                },
                Function.identity(),
                allowed);
    }

    /**
     * A JSON object, or its text; empty for none.
     *
     * @param refused names that it must not have
     */
    public static OptionType<Map<String, Object>> jsonObject(Set<String> refused) {
        String allowed = "a JSON object without " + refused.stream().sorted().collect(Collectors.joining(", "));
        return jsonType(
                raw -> {
                    Map<String, Object> object = fromJson(raw, new TypeReference<>() {}, Map.of(), allowed);
                    if (!Collections.disjoint(object.keySet(), refused)) {
                        throw refused(allowed, raw);
                    }
                    return Collections.unmodifiableMap(object);
                },
                Map::isEmpty,
                allowed);
    }

    /** A response format (see {@link JsonSchemas#format}), or its text; empty for none. */
    static OptionType<Map<String, Object>> responseFormat() {
        String allowed = "a JSON Schema, or a JSON object with the type json_schema, json_object or text";
        return jsonType(
                raw -> {
                    Map<String, Object> format = fromJson(raw, new TypeReference<>() {}, Map.of(), allowed);
                    JsonSchemas.format(format);
                    return Collections.unmodifiableMap(format);
                },
                Map::isEmpty,
                allowed);
    }

    /** A JSON array of objects, or its text; empty for none. */
    public static OptionType<List<Map<String, Object>>> jsonObjects() {
        String allowed = "a JSON array of objects";
        return jsonType(
                raw -> {
                    List<Map<String, Object>> objects = fromJson(raw, new TypeReference<>() {}, List.of(), allowed);
                    if (objects.stream().anyMatch(Objects::isNull)) {
                        throw refused(allowed, raw);
                    }
                    return Collections.unmodifiableList(objects);
                },
                List::isEmpty,
                allowed);
    }

    private static <T> OptionType<T> jsonType(Function<Object, T> reader, Predicate<T> empty, String allowed) {
        return new Simple<>(reader, value -> empty.test(value) ? "" : jsonText(value), allowed, List.of(), false, true);
    }

    private static <T> T fromJson(Object raw, TypeReference<T> type, T none, String allowed) {
        try {
            if (!(raw instanceof String text)) {
                return JSON.convertValue(raw, type);
            }
            T value = text.isBlank() ? none : JSON.readValue(text, type);
            if (value != null) {
                return value;
            }
        } catch (JsonProcessingException | IllegalArgumentException malformed) {
            throw refused(allowed, raw);
        }
        throw refused(allowed, raw);
    }

    /** Texts: a list, a JSON array of strings, or else one text as it is. */
    public static OptionType<List<String>> texts() {
        return list("a text, or a JSON array of texts", List::of);
    }

    /** Names: a list, a JSON array of strings, or names with commas between. */
    public static OptionType<List<String>> names() {
        return list("names with commas between, or a JSON array of names", text -> Arrays.stream(text.split(","))
                .map(String::trim)
                .filter(name -> !name.isEmpty())
                .collect(Collectors.toList()));
    }

    private static OptionType<List<String>> list(String allowed, Function<String, List<String>> fromText) {
        Function<Object, List<String>> reader = raw -> {
            if (raw instanceof List<?> list) {
                return strings(list, allowed, raw);
            }
            if (!(raw instanceof String text)) {
                throw refused(allowed, raw);
            }
            if (!text.startsWith("[")) {
                return text.isEmpty() ? List.of() : fromText.apply(text);
            }
            try {
                return strings(JSON.readValue(text, new TypeReference<List<Object>>() {}), allowed, raw);
            } catch (JsonProcessingException notJson) {
                throw refused(allowed, raw);
            }
        };
        return new Simple<>(reader, OptionTypes::json, allowed, List.of(), true, false);
    }

    private static List<String> strings(List<?> list, String allowed, Object raw) {
        if (!list.stream().allMatch(String.class::isInstance)) {
            throw refused(allowed, raw);
        }
        return list.stream().map(String.class::cast).collect(Collectors.toList());
    }

    private static String json(List<String> values) {
        return values.isEmpty() ? "" : jsonText(values);
    }

    private static String jsonText(Object value) {
        try {
            return JSON.writeValueAsString(value);
        } catch (JsonProcessingException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private static long integral(Object raw, long min, long max, String allowed) {
        try {
            long value = decimal(raw).longValueExact();
            if (value >= min && value <= max) {
                return value;
            }
        } catch (ArithmeticException | NumberFormatException notAnInteger) {
            throw refused(allowed, raw);
        }
        throw refused(allowed, raw);
    }

    private static double finite(Object raw, DoublePredicate inRange, String allowed) {
        try {
            double value = decimal(raw).doubleValue();
            if (Double.isFinite(value) && inRange.test(value)) {
                return value;
            }
        } catch (NumberFormatException notANumber) {
            throw refused(allowed, raw);
        }
        throw refused(allowed, raw);
    }

    /** Exact, so that a large integer is not rounded on its way; NaN and infinities throw NumberFormatException. */
    private static BigDecimal decimal(Object raw) {
        String text = String.valueOf(raw).trim();
        if (text.length() > 40) {
            throw new NumberFormatException("too long");
        }
        BigDecimal value = new BigDecimal(text);
        if (Math.abs((long) value.scale()) > 400) {
            throw new NumberFormatException("exponent out of range");
        }
        return value;
    }

    private static long size(Object raw, String allowed) {
        Matcher matcher = SIZE.matcher(String.valueOf(raw).trim().toLowerCase(Locale.ROOT));
        if (!matcher.matches()) {
            throw refused(allowed, raw);
        }
        int power = "kmgt"
                        .indexOf(
                                matcher.group(2).isEmpty()
                                        ? '-'
                                        : matcher.group(2).charAt(0))
                + 1;
        try {
            return Math.multiplyExact(Long.parseLong(matcher.group(1)), 1L << (10 * power));
        } catch (ArithmeticException tooLarge) {
            throw refused(allowed, raw);
        }
    }

    private static String plain(double value) {
        return BigDecimal.valueOf(value).stripTrailingZeros().toPlainString();
    }

    private static IllegalArgumentException refused(String allowed, Object raw) {
        return new IllegalArgumentException("must be " + allowed + ", not '" + raw + "'");
    }
}
