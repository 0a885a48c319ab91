package io.kindling.spark.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** To renew the table after a change of metrics, run this test with {@code -Dkindling.write.docs=true}. */
class MetricsPageTest {
    private static final Path PAGE = Path.of("..", "..", "docs", "metrics.md");
    private static final String HEAD = "| --- | --- | --- | --- |\n";

    @Test
    void theTableEqualsTheDeclarations() throws IOException {
        String page = Files.readString(PAGE);
        String rows = Arrays.stream(Metric.values())
                .map(metric -> String.format(
                        "| `%s` | %s | %s | %s |%n",
                        metric.label(), metric.unit(), metric.kind().meaning(), metric.meaning()))
                .collect(Collectors.joining());
        if (Boolean.getBoolean("kindling.write.docs")) {
            Files.writeString(PAGE, page.substring(0, page.indexOf(HEAD) + HEAD.length()) + rows);
        }
        assertThat(Files.readString(PAGE)).endsWith(HEAD + rows);
    }

    @Test
    void theNamesAreTheContracts() {
        assertThat(Arrays.stream(Metric.values()).map(Metric::label))
                .containsExactlyInAnyOrder(
                        "rows",
                        "engine requests",
                        "deduplicated",
                        "prompt tokens",
                        "generated tokens",
                        "tokens per second",
                        "prefix hits",
                        "mean batch size",
                        "KV pages peak",
                        "failed rows",
                        "model load ms",
                        "sessions");
    }
}
