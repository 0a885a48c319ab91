package io.kindling.cli;

import io.kindling.engine.Option;
import io.kindling.engine.Option.Scope;
import io.kindling.engine.OptionTable;
import io.kindling.engine.OptionValues;
import io.kindling.engine.error.OptionException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/** The flags that a command takes from the option table: one for every option of some scopes. */
public final class OptionFlags {
    private final OptionTable table;
    private final Set<Scope> scopes;
    private final OptionValues defaults;

    private OptionFlags(OptionTable table, Set<Scope> scopes, OptionValues defaults) {
        this.table = table;
        this.scopes = scopes;
        this.defaults = defaults;
    }

    /** Flags of the standard options of these scopes; none for no scope. */
    public static OptionFlags of(Scope... scopes) {
        return of(OptionTable.standard(), scopes);
    }

    public static OptionFlags of(OptionTable table, Scope... scopes) {
        Set<Scope> set = EnumSet.noneOf(Scope.class);
        set.addAll(Arrays.asList(scopes));
        return new OptionFlags(table, set, table.defaults());
    }

    /** These flags with another default for one of them. */
    public <T> OptionFlags withDefault(Option<T> option, T value) {
        return new OptionFlags(table, scopes, defaults.with(option, value));
    }

    void addTo(CommandSpec spec) {
        for (Option<?> option : table.options()) {
            if (scopes.contains(option.scope())) {
                spec.addOption(flag(option));
            }
        }
    }

    private <T> OptionSpec flag(Option<T> option) {
        String standing = option.type().write(defaults.get(option));
        String text = option.doc() + ". Allowed: " + option.type().allowed()
                + (option.type().isJson() ? ", or a file that holds it." : ".")
                + (standing.isEmpty() ? "" : " Default: " + standing + ".");
        OptionSpec.Builder flag = OptionSpec.builder(option.flag())
                .paramLabel("<" + option.name() + ">")
                .description(text.replace("%", "%%"));
        if (isSwitch(option)) {
            return flag.type(Boolean.class).arity("0..1").fallbackValue("true").build();
        }
        if (option.type().isList()) {
            return flag.type(List.class).auxiliaryTypes(String.class).arity("1").build();
        }
        return flag.type(String.class).arity("1").build();
    }

    private static boolean isSwitch(Option<?> option) {
        return option.type().choices().equals(List.of("true", "false"));
    }

    /** @throws io.kindling.engine.error.OptionException with all problems together */
    OptionValues read(ParseResult parsed) {
        Map<String, Object> raw = new LinkedHashMap<>();
        for (Option<?> option : table.options()) {
            if (scopes.contains(option.scope()) && parsed.hasMatchedOption(option.flag())) {
                Object value = parsed.matchedOptionValue(option.flag(), null);
                raw.put(option.flag(), option.type().isJson() ? json(value, option) : single(value));
            }
        }
        return table.parse(raw, defaults, scopes);
    }

    /** JSON as such, or the text of the file that is named. */
    private static String json(Object value, Option<?> option) {
        String text = String.valueOf(value);
        if (text.isBlank() || "[{".indexOf(text.strip().charAt(0)) >= 0) {
            return text;
        }
        try {
            return Files.readString(Path.of(text));
        } catch (IOException | InvalidPathException unreadable) {
            throw new OptionException(
                    "option '" + option.flag() + "' must be " + option.type().allowed() + ", or a file that holds it; '"
                            + text + "' is no such file: " + unreadable);
        }
    }

    /** A flag given once may hold a whole list as text; given several times it is the list. */
    private static Object single(Object value) {
        return value instanceof List<?> list && list.size() == 1 ? list.get(0) : value;
    }

    /** Spells option flags the one way that picocli knows: {@code --maxNewTokens=5} becomes {@code --max-new-tokens=5}. */
    static String[] normalized(String... args) {
        return Arrays.stream(args).map(OptionFlags::normalized).toArray(String[]::new);
    }

    private static String normalized(String arg) {
        if (!arg.startsWith("--")) {
            return arg;
        }
        int end = arg.indexOf('=') < 0 ? arg.length() : arg.indexOf('=');
        return OptionTable.standard()
                .find(arg.substring(2, end))
                .map(option -> option.flag() + arg.substring(end))
                .orElse(arg);
    }
}
