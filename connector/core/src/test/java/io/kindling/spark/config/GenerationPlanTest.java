package io.kindling.spark.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.kindling.engine.Option;
import io.kindling.engine.Option.Scope;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every option that the page lists changes what executors get, by each of its names, as a session's setting and as a call's. */
class GenerationPlanTest {
    /** A value of each option that is not its default. */
    private static final Map<String, String> OTHER_VALUES = new TreeMap<>(Map.ofEntries(
            Map.entry("kernels", "java"),
            Map.entry("precision", "exact"),
            Map.entry("device", "cpu"),
            Map.entry("path", "dense"),
            Map.entry("threads", "3"),
            Map.entry("optimize", "none"),
            Map.entry("disabled_passes", "gelu_fusion"),
            Map.entry("random_seed", "5"),
            Map.entry("max_batch", "7"),
            Map.entry("response_format", "{\"type\":\"json_object\"}"),
            Map.entry("max_step_tokens", "64"),
            Map.entry("kv_budget_bytes", "64m"),
            Map.entry("prefix_cache", "false"),
            Map.entry("deduplicate", "false"),
            Map.entry("decode_inline", "true"),
            Map.entry("max_new_tokens", "9"),
            Map.entry("temperature", "0.5"),
            Map.entry("top_k", "4"),
            Map.entry("top_p", "0.9"),
            Map.entry("min_p", "0.1"),
            Map.entry("repetition_penalty", "1.1"),
            Map.entry("seed", "11"),
            Map.entry("stop_strings", "end"),
            Map.entry("ignore_eos", "true"),
            Map.entry("on_overflow", "truncate_left"),
            Map.entry("pooling", "cls"),
            Map.entry("normalize", "false"),
            Map.entry("max_tokens", "16"),
            Map.entry("chat", "true"),
            Map.entry("system", "Be brief."),
            Map.entry("chat_template", "{{ messages }}"),
            Map.entry("add_generation_prompt", "false"),
            Map.entry("continue_final_message", "true"),
            Map.entry("enable_thinking", "true"),
            Map.entry("template_kwargs", "{\"tone\": \"dry\"}"),
            Map.entry("tools", "[{\"type\": \"function\"}]"),
            Map.entry("documents", "[{\"title\": \"a\"}]"),
            Map.entry("special_tokens_in_text", "true"),
            Map.entry("template_now", "2026-01-31T09:00:00"),
            Map.entry("on_error", "fail"),
            Map.entry("max_error_fraction", "0.25"),
            Map.entry("distribution", "path"),
            Map.entry("cache_dir", "/mnt/models"),
            Map.entry("cache_max_bytes", "1g"),
            Map.entry("memory_total", "3g"),
            Map.entry("idle_model_bytes", "1g"),
            Map.entry("memory_idle_seconds", "60"),
            Map.entry("in_flight", "8"),
            Map.entry("warmup", "smollm2")));

    static Stream<String> names() {
        return SparkOptions.table().options().stream()
                .flatMap(option -> Stream.concat(Stream.of(option.name()), option.aliases().stream()));
    }

    private static GenerationPlan plan(Map<String, String> session, Map<String, String> call) {
        return GenerationPlan.of(SparkOptions.resolve(session, call, EnumSet.allOf(Scope.class)));
    }

    @Test
    void everyOptionHasAnOtherValueHere() {
        List<String> names = SparkOptions.table().options().stream()
                .map(Option::name)
                .sorted()
                .toList();
        assertThat(OTHER_VALUES.keySet()).containsExactlyElementsOf(names);
    }

    @ParameterizedTest
    @MethodSource("names")
    void anOptionReachesExecutorsByEachOfItsNames(String name) {
        String value =
                OTHER_VALUES.get(SparkOptions.table().find(name).orElseThrow().name());
        GenerationPlan usual = plan(Map.of(), Map.of());
        GenerationPlan set = plan(Map.of(name, value), Map.of());
        assertThat(plan(Map.of(), Map.of())).isEqualTo(usual);
        assertThat(set).isNotEqualTo(usual);
        assertThat(plan(Map.of(), Map.of(name, value))).isEqualTo(set);
    }
}
