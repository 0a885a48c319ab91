package io.kindling.spark.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kindling.engine.Option;
import io.kindling.engine.Option.Scope;
import io.kindling.engine.Options;
import io.kindling.spark.LocalSpark;
import io.kindling.spark.config.SessionSettings;
import io.kindling.spark.config.SparkOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.spark.sql.AnalysisException;
import org.apache.spark.sql.DataFrameReader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The options of {@code DataFrameReader} are those that are declared: each of them, and no others. */
class SourceOptionsTest {
    @RegisterExtension
    static final LocalSpark SPARK = new LocalSpark();

    private static final List<String> VALUES = List.of(
            "true",
            "false",
            "3",
            "0.5",
            "2048",
            "cpu",
            "[{\"a\": 1}]",
            "{\"a\": 1}",
            "{\"type\": \"json_object\"}",
            "2026-01-31T09:00:00",
            "/tmp",
            "x");
    private static final String BAD = "no value of this kind";

    private static List<Option<?>> declared() {
        return SparkOptions.table().options().stream()
                .filter(option -> !option.equals(Options.PATH))
                .toList();
    }

    private static Optional<Object> read(Option<?> option, String value) {
        try {
            return Optional.of(option.type().read(value));
        } catch (IllegalArgumentException refused) {
            return Optional.empty();
        }
    }

    /** A value that is not the default. */
    private static String other(Option<?> option) {
        return Stream.concat(option.type().choices().stream(), VALUES.stream())
                .filter(value -> read(option, value)
                        .filter(one -> !one.equals(option.defaultValue()))
                        .isPresent())
                .findFirst()
                .orElseThrow(() -> new AssertionError("no other value for " + option));
    }

    private static Map<String, String> source(Path model) {
        SPARK.session().range(2).selectExpr("string(id) q").createOrReplaceTempView("few");
        return new LinkedHashMap<>(Map.of("model", model.toUri().toString(), "prompt", "q", "table", "few"));
    }

    private static DataFrameReader reader(Map<String, String> options) {
        return SPARK.session().read().format("onnx").options(options);
    }

    /** As Spark's options are written: maxNewTokens. */
    private static String camel(String name) {
        StringBuilder camel = new StringBuilder();
        for (String part : name.split("_")) {
            camel.append(
                            camel.isEmpty()
                                    ? part.substring(0, 1)
                                    : part.substring(0, 1).toUpperCase())
                    .append(part.substring(1));
        }
        return camel.toString();
    }

    private static List<Option<?>> declared(SourceTask task) {
        return declared().stream()
                .filter(option -> option.scope() == Scope.ENGINE
                        || option.scope() == Scope.JOB
                        || task.kind().scopes().contains(option.scope()))
                .toList();
    }

    @ParameterizedTest
    @EnumSource(SourceTask.class)
    void everyDeclaredOptionReachesTheCall(SourceTask task, @TempDir Path model) {
        List<Option<?>> read = declared(task);
        Map<String, String> options = source(model);
        options.put("task", task.name());
        read.forEach(option -> options.put(camel(option.name()), other(option)));
        Map<String, String> call =
                SourceOptions.of(options, SessionSettings.of(SPARK.session())).call();
        var values = SessionSettings.of(SPARK.session()).values(call);
        for (Option<?> option : read) {
            assertThat((Object) values.get(option))
                    .as(option.name())
                    .isEqualTo(option.type().read(other(option)));
        }
        assertThat(reader(options).load().columns()).startsWith("q").hasSize(3);
    }

    @Test
    void everyDeclaredOptionIsReadForSomeTask() {
        assertThat(Arrays.stream(SourceTask.values()).flatMap(task -> declared(task).stream()))
                .containsAll(declared());
    }

    @Test
    void badValuesAndUnknownOptionsAreNamedTogether(@TempDir Path model) {
        Map<String, String> options = source(model);
        List<String> names = new ArrayList<>(List.of("topkk"));
        options.put("topkk", "1");
        List<Option<?>> all = new ArrayList<>(declared());
        all.addAll(SourceOptions.OWN);
        for (Option<?> option : all) {
            if (read(option, BAD).isEmpty()) {
                names.add(option.name());
                options.put(option.name(), BAD);
            }
        }
        assertThat(names).hasSizeGreaterThan(25);
        assertThatThrownBy(() -> reader(options).load())
                .isInstanceOf(AnalysisException.class)
                .hasMessageContainingAll(names.toArray(String[]::new));
    }
}
