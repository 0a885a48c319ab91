package io.kindling.engine;

import java.util.List;
import java.util.Locale;

/**
 * The declaration of one option, from which parsing, validation, command-line flags and the documentation come.
 *
 * @param name snake_case; Hugging Face's name where there is one
 * @param aliases further names that are accepted
 * @param defaultValue in the option's own type
 * @param doc one sentence for users, without a full stop
 */
public record Option<T>(
        String name, List<String> aliases, Scope scope, OptionType<T> type, T defaultValue, String doc) {

    /** What an option is about, which also says where it may be given. */
    public enum Scope {
        /** How a model is loaded and run; fixed for the life of a session. */
        ENGINE,
        /** How one text is generated; may differ from row to row. */
        GENERATION,
        /** How texts become vectors or classes; may differ from call to call. */
        ENCODING,
        /** How a prompt becomes the text that a model reads; may differ from row to row. */
        PROMPT,
        /** What a job over many rows does around the engine. */
        JOB
    }

    public Option {
        aliases = List.copyOf(aliases);
    }

    public static <T> Option<T> of(String name, Scope scope, OptionType<T> type, T defaultValue, String doc) {
        return new Option<>(name, List.of(), scope, type, defaultValue, doc);
    }

    /** This option, reachable by one more name. */
    public Option<T> alsoNamed(String alias) {
        return new Option<>(name, List.of(alias), scope, type, defaultValue, doc);
    }

    /** The name as a command-line flag: {@code --max-new-tokens}. */
    public String flag() {
        return "--" + name.replace('_', '-');
    }

    /** The default as a user would write it. */
    public String defaultText() {
        return type.write(defaultValue);
    }

    /**
     * What makes two spellings one name: {@code maxNewTokens}, {@code max_new_tokens}, {@code max-new-tokens},
     * {@code max.new.tokens} and {@code maxnewtokens}, which is what Spark's case-insensitive maps leave of it, are the same.
     */
    static String key(String spelling) {
        return spelling.replaceAll("[_.-]", "").toLowerCase(Locale.ROOT);
    }
}
