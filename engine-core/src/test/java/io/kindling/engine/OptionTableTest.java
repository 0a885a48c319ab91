package io.kindling.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.kindling.engine.Option.Scope;
import io.kindling.engine.PromptOptions.Thinking;
import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.OptionException;
import io.kindling.engine.provider.Precision;
import io.kindling.engine.provider.ProviderOptions.Kernels;
import java.time.LocalDateTime;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class OptionTableTest {
    private static final OptionTable TABLE = OptionTable.standard();

    @Test
    void defaultsAreGreedyWithAutomaticChoices() {
        assertThat(EngineOptions.defaults())
                .isEqualTo(new EngineOptions(
                        Kernels.AUTO,
                        Precision.BALANCED,
                        "auto",
                        EngineOptions.ExecutionPath.AUTO,
                        0,
                        true,
                        Set.of(),
                        0,
                        32,
                        512,
                        0,
                        true,
                        true,
                        false));
        assertThat(GenerationOptions.defaults())
                .isEqualTo(new GenerationOptions(
                        128,
                        0,
                        0,
                        1,
                        0,
                        1,
                        0,
                        List.of(),
                        false,
                        ResponseFormat.TEXT,
                        GenerationOptions.OnOverflow.ERROR));
        assertThat(PromptOptions.defaults())
                .isEqualTo(new PromptOptions(
                        false, "", "", true, "", Thinking.AUTO, Map.of(), List.of(), List.of(), false, ""));
        assertThat(JobOptions.defaults()).isEqualTo(new JobOptions(JobOptions.OnError.NULL, 1));
    }

    @Test
    void everyEngineOptionReachesItsField() {
        OptionValues values = TABLE.parse(Map.ofEntries(
                Map.entry("kernels", "java"),
                Map.entry("precision", "EXACT"),
                Map.entry("device", "cuda:1"),
                Map.entry("path", "dense"),
                Map.entry("threads", "3"),
                Map.entry("optimize", "none"),
                Map.entry("disabled_passes", "cse, fold"),
                Map.entry("random_seed", "-7"),
                Map.entry("max_batch", "8"),
                Map.entry("max_step_tokens", "64"),
                Map.entry("kv_budget_bytes", "2g"),
                Map.entry("prefix_cache", "false"),
                Map.entry("deduplicate", "false"),
                Map.entry("decode_inline", "on")));

        assertThat(values.engine())
                .isEqualTo(new EngineOptions(
                        Kernels.JAVA,
                        Precision.EXACT,
                        "cuda:1",
                        EngineOptions.ExecutionPath.DENSE,
                        3,
                        false,
                        Set.of("cse", "fold"),
                        -7,
                        8,
                        64,
                        2_147_483_648L,
                        false,
                        false,
                        true));
    }

    @Test
    void everyGenerationAndJobOptionReachesItsField() {
        OptionValues values = TABLE.parse(Map.ofEntries(
                Map.entry("max_new_tokens", 7),
                Map.entry("temperature", 0.5),
                Map.entry("top_k", 40L),
                Map.entry("top_p", "0.9"),
                Map.entry("min_p", 0.05),
                Map.entry("repetition_penalty", 1.1),
                Map.entry("seed", "-9223372036854775808"),
                Map.entry("stop_strings", List.of("a,b", "c")),
                Map.entry("ignore_eos", true),
                Map.entry("responseFormat", "{\"type\": \"integer\", \"minimum\": 0}"),
                Map.entry("on_overflow", "truncate_left"),
                Map.entry("on_error", "fail"),
                Map.entry("max_error_fraction", "0.01")));

        assertThat(values.generation())
                .isEqualTo(new GenerationOptions(
                        7,
                        0.5,
                        40,
                        0.9,
                        0.05,
                        1.1,
                        Long.MIN_VALUE,
                        List.of("a,b", "c"),
                        true,
                        new ResponseFormat.Json(new JsonShape.Whole(0, Long.MAX_VALUE)),
                        GenerationOptions.OnOverflow.TRUNCATE_LEFT));
        assertThat(values.job()).isEqualTo(new JobOptions(JobOptions.OnError.FAIL, 0.01));
    }

    @Test
    void everyPromptOptionReachesItsField() {
        OptionValues values = TABLE.parse(Map.ofEntries(
                Map.entry("chat", true),
                Map.entry("system", " Be brief. "),
                Map.entry("chat_template", "tool_use"),
                Map.entry("continueFinalMessage", "TRUE"),
                Map.entry("enable_thinking", false),
                Map.entry("chat_template_kwargs", "{\"k\": [1, null]}"),
                Map.entry("tools", "[{\"name\": \"f\"}]"),
                Map.entry("documents", List.of(Map.of("title", "t"))),
                Map.entry("special_tokens_in_text", "true"),
                Map.entry("template_now", "2026-01-31T09:00")));

        assertThat(values.prompt())
                .isEqualTo(new PromptOptions(
                        true,
                        " Be brief. ",
                        "tool_use",
                        false,
                        "content",
                        Thinking.FALSE,
                        Map.of("k", Arrays.asList(1, null)),
                        List.of(Map.of("name", "f")),
                        List.of(Map.of("title", "t")),
                        true,
                        "2026-01-31T09:00"));
        for (Option<?> option : values.givenOptions()) {
            assertThat((Object) option.type().read(written(option, values)))
                    .as(option.name())
                    .isEqualTo(values.get(option));
        }
    }

    private static <T> String written(Option<T> option, OptionValues values) {
        return option.type().write(values.get(option));
    }

    @Test
    void malformedPromptOptionsSayWhatIsAllowed() {
        Map<String, Object> raw = new LinkedHashMap<>();
        raw.put("tools", "{\"name\": \"f\"}");
        raw.put("documents", "[1]");
        raw.put("template_kwargs", Map.of("messages", List.of()));
        raw.put("template_now", "today");
        raw.put("continue_final_message", "text");

        OptionException refused = catchThrowableOfType(OptionException.class, () -> TABLE.parse(raw));

        assertThat(refused.problems())
                .containsExactly(
                        "option 'tools' must be a JSON array of objects, not '{\"name\": \"f\"}'",
                        "option 'documents' must be a JSON array of objects, not '[1]'",
                        "option 'template_kwargs' must be a JSON object without add_generation_prompt, documents,"
                                + " messages, tools, not '{messages=[]}'",
                        "option 'template_now' must be a date and time such as 2026-01-31T09:00:00, not 'today'",
                        "option 'continue_final_message' must be one of true, false, reasoning_content, thinking,"
                                + " reasoning, not 'text'");
    }

    @Test
    void anAnswerContinuesAMessageOrBeginsOne() {
        assertThat(TABLE.parse(Map.of("continue_final_message", "true"))
                        .prompt()
                        .addGenerationPrompt())
                .isFalse();
        assertThatThrownBy(() -> TABLE.parse(Map.of("continue_final_message", "true", "add_generation_prompt", "true"))
                        .prompt())
                .isInstanceOf(OptionException.class)
                .hasMessageContaining("exclude each other");
    }

    @Test
    void theStartOfAJobIsTheTimeThatTemplatesWriteUnlessAnotherIsGiven() {
        LocalDateTime start = LocalDateTime.of(2026, 1, 31, 9, 0);
        assertThat(TABLE.defaults().startedAt(start).prompt().templateNow()).isEqualTo("2026-01-31T09:00");
        assertThat(TABLE.parse(Map.of("template_now", "2025-12-24T18:00"))
                        .startedAt(start)
                        .prompt()
                        .templateNow())
                .isEqualTo("2025-12-24T18:00");
    }

    @Test
    void theDeclaredOptionsCoverTheRecords() {
        long fields = EngineOptions.class.getRecordComponents().length
                + GenerationOptions.class.getRecordComponents().length
                + PromptOptions.class.getRecordComponents().length
                + EncodingOptions.class.getRecordComponents().length
                + JobOptions.class.getRecordComponents().length;
        assertThat(TABLE.options()).hasSize(Math.toIntExact(fields));
    }

    @ParameterizedTest
    @ValueSource(strings = {"maxNewTokens", "max_new_tokens", "max-new-tokens", "maxnewtokens", "MAX_NEW_TOKENS"})
    void spellingsOfANameAreTheSame(String spelling) {
        assertThat(TABLE.parse(Map.of(spelling, "5")).generation().maxNewTokens())
                .isEqualTo(5);
    }

    @Test
    void writtenDefaultsReadBackToTheSame() {
        for (Option<?> option : TABLE.options()) {
            assertThat((Object) option.type().read(option.defaultText()))
                    .as(option.name())
                    .isEqualTo(option.defaultValue());
        }
    }

    @Test
    void stopTextsComeAsListJsonArrayOrOneText() {
        assertThat(TABLE.parse(Map.of("stop", "a, b")).get(Options.STOP_STRINGS))
                .containsExactly("a, b");
        assertThat(TABLE.parse(Map.of("stopStrings", "[\"\\n\", \"b\"]")).get(Options.STOP_STRINGS))
                .containsExactly("\n", "b");
        assertThatThrownBy(() -> TABLE.parse(Map.of("stop", List.of(1))))
                .isInstanceOf(OptionException.class)
                .hasMessage("option 'stop' must be a text, or a JSON array of texts, not '[1]'");
    }

    @ParameterizedTest
    @CsvSource({"0,0", "512,512", "1k,1024", "512m,536870912", "2G,2147483648", "3 GiB,3221225472"})
    void sizesTakeSuffixes(String text, long bytes) {
        assertThat(TABLE.parse(Map.of("kv_budget_bytes", text)).get(Options.KV_BUDGET_BYTES))
                .isEqualTo(bytes);
    }

    @Test
    void allProblemsAreReportedTogether() {
        Map<String, Object> raw = new LinkedHashMap<>();
        raw.put("temprature", 1);
        raw.put("maxBatch", "0");
        raw.put("max_batch", "4");
        raw.put("top_p", "NaN");
        raw.put("ignore_eos", "yes");
        raw.put("precision", "best");
        raw.put("seed", "9223372036854775808");
        raw.put("device", "tpu");
        raw.put("kv_budget_bytes", "-1");
        raw.put("max_new_tokens", 1.5);
        raw.put("min_p", null);

        OptionException refused = catchThrowableOfType(OptionException.class, () -> TABLE.parse(raw));

        assertThat(refused.code()).isEqualTo(ErrorCode.INVALID_OPTION);
        assertThat(refused.problems())
                .containsExactly(
                        "unknown option 'temprature', did you mean 'temperature'?",
                        "option 'maxBatch' must be an integer from 1 to 4096, not '0'",
                        "option 'max_batch' is given twice, as 'maxBatch' and as 'max_batch'",
                        "option 'top_p' must be a number above 0, up to 1, not 'NaN'",
                        "option 'ignore_eos' must be one of true, false, not 'yes'",
                        "option 'precision' must be one of exact, balanced, fast, not 'best'",
                        "option 'seed' must be a 64-bit integer, not '9223372036854775808'",
                        "option 'device' must be auto, cpu, cuda or cuda:N, not 'tpu'",
                        "option 'kv_budget_bytes' must be a size in bytes, such as 0, 512m or 2g, not '-1'",
                        "option 'max_new_tokens' must be an integer from 1 to 1048576, not '1.5'",
                        "option 'min_p' must be a number from 0 to 1, not null");
    }

    @Test
    void aNameLikeNothingKnownGetsNoSuggestion() {
        assertThatThrownBy(() -> TABLE.parse(Map.of("zzzzzzzz", 1))).hasMessage("unknown option 'zzzzzzzz'");
    }

    @Test
    void aRowOverridesGenerationOptionsOnly() {
        OptionValues job = TABLE.parse(Map.of("temperature", 1, "max_new_tokens", 10));
        Set<Scope> ofRows = EnumSet.of(Scope.GENERATION);

        OptionValues row = TABLE.parse(Map.of("maxNewTokens", 3), job, ofRows);

        assertThat(row.generation().maxNewTokens()).isEqualTo(3);
        assertThat(row.generation().temperature()).isEqualTo(1);
        assertThatThrownBy(() -> TABLE.parse(Map.of("max_batch", 3), job, ofRows))
                .hasMessage("option 'max_batch' cannot be given here: it is one of the engine options");
        assertThatThrownBy(() -> TABLE.parse(Map.of("max_tokens", 3), job, ofRows))
                .hasMessage("option 'max_tokens' cannot be given here: it is one of the encoding options,"
                        + " did you mean 'max_new_tokens'?");
    }

    @Test
    void aTableTakesFurtherOptionsButNoNameTwice() {
        Option<Integer> more = Option.of("in_flight", Scope.JOB, OptionTypes.integer(1, 9), 4, "Rows in the engine");
        OptionTable wider = TABLE.with(List.of(more));

        assertThat(wider.parse(new HashMap<>(Map.of("inFlight", "2"))).get(more))
                .isEqualTo(2);
        assertThatThrownBy(() -> wider.with(List.of(Option.of("inFlight", Scope.JOB, OptionTypes.bool(), true, ""))))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("two options are named inFlight");
    }
}
