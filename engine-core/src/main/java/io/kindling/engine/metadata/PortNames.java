package io.kindling.engine.metadata;

import io.kindling.engine.metadata.DecoderIo.Kind;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How exporters name states: {@code past_key_values.0.key} and {@code present.0.key} (Optimum, torch), {@code past.0.conv} and
 * {@code present.0.conv} (genai), {@code past_conv.0} and {@code present_conv.0} (graphs for browsers).
 */
final class PortNames {
    private static final String PAST = "past";
    private static final String PAST_KEY_VALUES = "past_key_values";
    private static final List<String> PRESENT = List.of("present", "present_key_values");
    private static final Pattern NUMBER = Pattern.compile("\\d+");

    private PortNames() {}

    /** The output that gives this input's next value; empty when the input is no state. */
    static Optional<String> presentOf(String input, Set<String> outputs) {
        if (!input.startsWith(PAST)) {
            return Optional.empty();
        }
        return PRESENT.stream()
                .map(present -> present + rest(input))
                .filter(outputs::contains)
                .findFirst();
    }

    static boolean isState(String input) {
        return input.startsWith(PAST);
    }

    /** A state that belongs to an encoder's output. */
    static boolean isCross(String input) {
        return isState(input) && (rest(input).contains("encoder") || rest(input).contains("cross"));
    }

    static Kind kind(String input) {
        String rest = rest(input);
        return rest.contains("key") ? Kind.KEY : rest.contains("value") ? Kind.VALUE : Kind.FIXED;
    }

    /** The first number in the name, 0 when there is none. */
    static int layer(String input) {
        Matcher number = NUMBER.matcher(rest(input));
        // Nine digits fit an int.
        return number.find() && number.end() - number.start() <= 9 ? Integer.parseInt(number.group()) : 0;
    }

    private static String rest(String input) {
        return input.substring(input.startsWith(PAST_KEY_VALUES) ? PAST_KEY_VALUES.length() : PAST.length());
    }
}
