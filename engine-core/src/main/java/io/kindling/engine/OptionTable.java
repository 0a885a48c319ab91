package io.kindling.engine;

import io.kindling.engine.Option.Scope;
import io.kindling.engine.error.OptionException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The options that somebody may give, by name. A name may be spelled {@code max_new_tokens}, {@code maxNewTokens} or
 * {@code max-new-tokens}. Immutable.
 */
public final class OptionTable {
    private static final OptionTable STANDARD = new OptionTable(Options.all());

    private final List<Option<?>> options;
    private final Map<String, Option<?>> byKey = new LinkedHashMap<>();

    private OptionTable(List<Option<?>> options) {
        this.options = List.copyOf(options);
        for (Option<?> option : options) {
            declare(option.name(), option);
            option.aliases().forEach(alias -> declare(alias, option));
        }
    }

    private void declare(String name, Option<?> option) {
        if (byKey.putIfAbsent(Option.key(name), option) != null) {
            throw new IllegalStateException("two options are named " + name);
        }
    }

    /** All of {@link Options}. */
    public static OptionTable standard() {
        return STANDARD;
    }

    /** A table of its own, for a place where some names mean something else. */
    public static OptionTable of(Collection<? extends Option<?>> options) {
        return new OptionTable(List.copyOf(options));
    }

    /** This table and further options, such as those that only Spark jobs have. */
    public OptionTable with(Collection<? extends Option<?>> more) {
        List<Option<?>> all = new ArrayList<>(options);
        all.addAll(more);
        return new OptionTable(all);
    }

    /** In the order of their declaration. */
    public List<Option<?>> options() {
        return options;
    }

    /** By any spelling of its name. */
    public Optional<Option<?>> find(String name) {
        return Optional.ofNullable(byKey.get(Option.key(name)));
    }

    /** Every option at its default. */
    public OptionValues defaults() {
        return new OptionValues(Map.of());
    }

    /**
     * Reads options of any scope.
     *
     * @param raw text, or numbers, booleans and lists as JSON gives them
     * @throws OptionException with all problems together
     */
    public OptionValues parse(Map<String, ?> raw) {
        return parse(raw, defaults(), EnumSet.allOf(Scope.class));
    }

    /**
     * Reads options that go before others.
     *
     * @param base what holds where {@code raw} says nothing
     * @param allowed the scopes that may be given here
     * @throws OptionException with all problems together
     */
    public OptionValues parse(Map<String, ?> raw, OptionValues base, Set<Scope> allowed) {
        Map<Option<?>, Object> values = new LinkedHashMap<>(base.given());
        Map<Option<?>, String> seen = new LinkedHashMap<>();
        List<String> problems = new ArrayList<>();
        raw.forEach((name, value) -> {
            Option<?> option = byKey.get(Option.key(name));
            if (option == null) {
                problems.add(unknown(name));
            } else if (!allowed.contains(option.scope())) {
                problems.add("option '" + name + "' cannot be given here: it is one of the "
                        + OptionDocs.title(option.scope()).toLowerCase(Locale.ROOT)
                        + meant(Option.key(name), key -> isOfTexts(byKey.get(key), allowed)));
            } else if (seen.putIfAbsent(option, name) != null) {
                problems.add("option '" + option.name() + "' is given twice, as '" + seen.get(option) + "' and as '"
                        + name + "'");
            } else {
                read(option, name, value, values, problems);
            }
        });
        if (!problems.isEmpty()) {
            throw new OptionException(problems);
        }
        return new OptionValues(values);
    }

    private static void read(
            Option<?> option, String name, Object value, Map<Option<?>, Object> values, List<String> problems) {
        if (value == null) {
            problems.add("option '" + name + "' must be " + option.type().allowed() + ", not null");
            return;
        }
        try {
            values.put(option, option.type().read(value));
        } catch (IllegalArgumentException refused) {
            problems.add("option '" + name + "' " + refused.getMessage());
        }
    }

    private String unknown(String name) {
        return "unknown option '" + name + "'" + meant(Option.key(name), key -> true);
    }

    /** Whether an option of texts may have been meant: not one of how a model or a job is run. */
    private static boolean isOfTexts(Option<?> option, Set<Scope> allowed) {
        return allowed.contains(option.scope()) && option.scope() != Scope.ENGINE && option.scope() != Scope.JOB;
    }

    private String meant(String key, Predicate<String> isPossible) {
        return NearestName.of(key, byKey.keySet().stream().filter(isPossible).toList())
                .map(found -> ", did you mean '" + byKey.get(found).name() + "'?")
                .orElse("");
    }
}
