package io.kindling.engine;

import io.kindling.engine.error.OptionException;
import java.time.LocalDateTime;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** Checked values of options: what was given, else the defaults. Immutable. */
public final class OptionValues {
    private final Map<Option<?>, Object> given;

    /** @param given values in the types of their options */
    OptionValues(Map<Option<?>, Object> given) {
        this.given = Collections.unmodifiableMap(new LinkedHashMap<>(given));
    }

    Map<Option<?>, Object> given() {
        return given;
    }

    /** The options that were given, not left at their defaults. */
    public Set<Option<?>> givenOptions() {
        return given.keySet();
    }

    /** The value of an option. */
    @SuppressWarnings("unchecked") // only OptionTable and with() fill the map, with values of the option's type
    public <T> T get(Option<T> option) {
        return (T) given.getOrDefault(option, option.defaultValue());
    }

    /** These values with one changed. */
    public <T> OptionValues with(Option<T> option, T value) {
        Map<Option<?>, Object> changed = new LinkedHashMap<>(given);
        changed.put(option, value);
        return new OptionValues(changed);
    }

    /** These values, with the date and time that templates write where none are given. */
    public OptionValues startedAt(LocalDateTime time) {
        return get(Options.TEMPLATE_NOW).isEmpty() ? with(Options.TEMPLATE_NOW, time.toString()) : this;
    }

    public EngineOptions engine() {
        return new EngineOptions(
                get(Options.KERNELS),
                get(Options.PRECISION),
                get(Options.DEVICE),
                get(Options.PATH),
                get(Options.THREADS),
                get(Options.OPTIMIZE),
                Set.copyOf(get(Options.DISABLED_PASSES)),
                get(Options.RANDOM_SEED),
                get(Options.MAX_BATCH),
                get(Options.MAX_STEP_TOKENS),
                get(Options.KV_BUDGET_BYTES),
                get(Options.PREFIX_CACHE),
                get(Options.DEDUPLICATE),
                get(Options.DECODE_INLINE));
    }

    public GenerationOptions generation() {
        return new GenerationOptions(
                get(Options.MAX_NEW_TOKENS),
                get(Options.TEMPERATURE),
                get(Options.TOP_K),
                get(Options.TOP_P),
                get(Options.MIN_P),
                get(Options.REPETITION_PENALTY),
                get(Options.SEED),
                get(Options.STOP_STRINGS),
                get(Options.IGNORE_EOS),
                JsonSchemas.format(get(Options.RESPONSE_FORMAT)),
                get(Options.ON_OVERFLOW));
    }

    public EncodingOptions encoding() {
        return new EncodingOptions(get(Options.POOLING), get(Options.NORMALIZE), get(Options.MAX_TOKENS));
    }

    /** @throws OptionException when a message is to be continued and another one begun */
    public PromptOptions prompt() {
        boolean continues = !get(Options.CONTINUE_FINAL_MESSAGE).isEmpty();
        if (continues && given.containsKey(Options.ADD_GENERATION_PROMPT) && get(Options.ADD_GENERATION_PROMPT)) {
            throw new OptionException(
                    "options 'continue_final_message' and 'add_generation_prompt' exclude each other: the"
                            + " answer goes on with the last message or begins one of its own");
        }
        return new PromptOptions(
                get(Options.CHAT),
                get(Options.SYSTEM),
                get(Options.CHAT_TEMPLATE),
                get(Options.ADD_GENERATION_PROMPT) && !continues,
                get(Options.CONTINUE_FINAL_MESSAGE),
                get(Options.ENABLE_THINKING),
                get(Options.TEMPLATE_KWARGS),
                get(Options.TOOLS),
                get(Options.DOCUMENTS),
                get(Options.SPECIAL_TOKENS_IN_TEXT),
                get(Options.TEMPLATE_NOW));
    }

    public JobOptions job() {
        return new JobOptions(get(Options.ON_ERROR), get(Options.MAX_ERROR_FRACTION));
    }
}
