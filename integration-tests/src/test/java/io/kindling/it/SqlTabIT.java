package io.kindling.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The operator's figures as a browser shows them in the SQL tab, and as the REST API has them. */
class SqlTabIT {
    /** See the rows in sql_tab.py: a token is a byte, a page 16 tokens, and each row runs alone. */
    private static final Map<String, String> EXPECTED = Map.of(
            "rows", "26",
            "engine requests", "25",
            "deduplicated", "4",
            "prompt tokens", "960", // 24 of 40; what is refused is not fed
            "generated tokens", "120", // 24 of 5
            "prefix hits", "608", // 19 of 32
            "mean batch size", "1.0",
            "KV pages peak", "3", // 40 and 4 tokens are fed
            "failed rows", "1",
            "sessions", "1");

    @TempDir
    Path folder;

    @ParameterizedTest
    @EnumSource(names = {"SPARK_3_5_9", "SPARK_4_3_0"})
    void aBrowserShowsTheFiguresOfTheQuery(SparkRelease spark) throws IOException {
        String chromium = chromium();
        Path model = folder.resolve("scripted");
        Repository.python("tools/scripted_model.py", model.toString());
        List<String> arguments = new ArrayList<>(List.of("--master", "local[1]", "--jars", Repository.JAR.toString()));
        arguments.addAll(List.of("--conf", "spark.ui.enabled=true", "--conf", "spark.ui.port=0"));
        if (!spark.isLine4()) {
            arguments.addAll(List.of("--conf", "spark.sql.extensions=io.kindling.spark.KindlingExtensions"));
        }
        arguments.addAll(List.of(
                Repository.ROOT
                        .resolve("integration-tests/src/test/resources/sql_tab.py")
                        .toString(),
                model.toString(),
                chromium));
        JsonNode told = new ObjectMapper()
                .readTree(spark.run(SparkRelease.ownJava(), "spark-submit", arguments)
                        .orFail()
                        .lastLine());
        Map<String, String> rest = new LinkedHashMap<>();
        told.get("rest")
                .properties()
                .forEach(metric -> rest.put(metric.getKey(), metric.getValue().asText()));
        String operator = told.get("shown").get("operator").asText().replaceAll("<[^>]*>", "\n");
        Map<String, String> drawn = new LinkedHashMap<>();
        for (String name : rest.keySet()) {
            figure(operator, name).ifPresent(figure -> drawn.put(name, figure));
        }

        assertThat(drawn).isEqualTo(rest).containsAllEntriesOf(EXPECTED).hasSize(EXPECTED.size() + 2);
        double rate = number(drawn.get("tokens per second"));
        assertThat(rate * told.get("seconds").asDouble())
                .as("the engine worked no longer than the query took, and generated 20 answers of 5 tokens")
                .isGreaterThan(99);
        assertThat(number(drawn.get("model load ms")))
                .isBetween(0.0, 1000 * told.get("seconds").asDouble());
        assertThat(told.get("shown").get("page").asText())
                .contains("ignore_eos=true, max_batch=1, max_new_tokens=5", "model=m (" + model);
    }

    private static Optional<String> figure(String drawn, String name) {
        Matcher line = Pattern.compile("^" + Pattern.quote(name) + ":?\\s+([0-9.,]+)$", Pattern.MULTILINE)
                .matcher(drawn);
        return line.find() ? Optional.of(line.group(1)) : Optional.empty();
    }

    private static double number(String figure) {
        return Double.parseDouble(figure.replace(",", ""));
    }

    private static String chromium() {
        Optional<String> found = Stream.of("chromium", "chromium-browser", "google-chrome")
                .flatMap(name -> Stream.of(System.getenv("PATH").split(File.pathSeparator))
                        .map(place -> Path.of(place, name)))
                .filter(Files::isExecutable)
                .map(Path::toString)
                .findFirst();
        Assumptions.assumeTrue(
                found.isPresent(), "no chromium, chromium-browser or google-chrome in the PATH: install one");
        return found.orElseThrow();
    }
}
