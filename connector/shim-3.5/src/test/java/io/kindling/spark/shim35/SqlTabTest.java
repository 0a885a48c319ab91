package io.kindling.spark.shim35;

import static org.assertj.core.api.Assertions.assertThat;

import io.kindling.spark.LocalSpark;
import io.kindling.spark.metrics.Metric;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.execution.ui.SQLAppStatusStore;
import org.apache.spark.sql.execution.ui.SQLExecutionUIData;
import org.apache.spark.sql.execution.ui.SQLPlanMetric;
import org.apache.spark.sql.streaming.Trigger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The operator's figures as the SQL tab has them. Each answer of the fake is of two rows' passes, see its description. */
class SqlTabTest {
    @RegisterExtension
    static final LocalSpark SPARK = new LocalSpark();

    @TempDir
    Path folder;

    private int before;

    @BeforeEach
    void alias() throws Exception {
        SPARK.session().conf().set("spark.kindling.model.m", folder.toUri().toString());
        before = executions().size();
    }

    private static List<SQLExecutionUIData> executions() throws Exception {
        SPARK.session().sparkContext().listenerBus().waitUntilEmpty();
        return Trees.list(store().executionsList());
    }

    private static SQLAppStatusStore store() {
        return SPARK.session().sharedState().statusStore();
    }

    /** What the test's queries show, the figures of one after those of the other. */
    private Map<String, List<String>> shown() throws Exception {
        List<String> ours = Arrays.stream(Metric.values()).map(Metric::label).toList();
        Map<String, List<String>> shown = new HashMap<>();
        for (SQLExecutionUIData execution :
                executions().subList(before, executions().size())) {
            var values = store().executionMetrics(execution.executionId());
            Set<Long> seen = new HashSet<>(); // adaptive execution lists a plan's metrics again when it plans anew
            for (SQLPlanMetric metric : Trees.<SQLPlanMetric>list(execution.metrics())) {
                if (ours.contains(metric.name())
                        && values.contains(metric.accumulatorId())
                        && seen.add(metric.accumulatorId())) {
                    shown.computeIfAbsent(metric.name(), name -> new ArrayList<>())
                            .add(values.apply(metric.accumulatorId()));
                }
            }
        }
        return shown;
    }

    @Test
    void aQueryShowsAllMetrics() throws Exception {
        SPARK.session()
                .sql("SELECT onnx.generate('m', q) FROM (SELECT concat('q', id) q FROM range(0, 40, 1, 4)"
                        + " UNION ALL SELECT 'BAD' UNION ALL SELECT NULL)")
                .collectAsList();
        Map<String, List<String>> shown = shown();
        assertThat(shown)
                .containsOnlyKeys(
                        Arrays.stream(Metric.values()).map(Metric::label).toList());
        assertThat(shown)
                .containsEntry("rows", List.of("42"))
                .containsEntry("engine requests", List.of("41"))
                .containsEntry("deduplicated", List.of("0"))
                .containsEntry("prompt tokens", List.of("122"))
                .containsEntry("generated tokens", List.of("80"))
                .containsEntry("tokens per second", List.of("1,000.0"))
                .containsEntry("prefix hits", List.of("640"))
                .containsEntry("mean batch size", List.of("2.0"))
                .containsEntry("KV pages peak", List.of("3"))
                .containsEntry("failed rows", List.of("1"))
                .containsEntry("sessions", List.of("1"));
    }

    @Test
    void aStreamsMicroBatchesShowThem() throws Exception {
        Path input = Files.createDirectory(folder.resolve("in"));
        Files.writeString(input.resolve("lines.txt"), "a\nb\nc\n");
        SPARK.session()
                .readStream()
                .text(input.toString())
                .selectExpr("value", "onnx.generate('m', value) a")
                .writeStream()
                .format("memory")
                .queryName("shown")
                .option("checkpointLocation", folder.resolve("checkpoint").toString())
                .trigger(Trigger.AvailableNow())
                .start()
                .awaitTermination();
        assertThat(shown())
                .containsEntry("rows", List.of("3"))
                .containsEntry("generated tokens", List.of("6"))
                .containsEntry("mean batch size", List.of("2.0"));
    }

    @Test
    void aCachedResultIsCountedWhereItWasMade() throws Exception {
        Dataset<Row> cached = SPARK.session()
                .sql("SELECT id, onnx.generate('m', concat('q', id)) a FROM range(0, 6, 1, 2)")
                .cache();
        try {
            cached.collectAsList();
            cached.where("length(a) > 3").collectAsList();
            cached.as("x").join(cached.as("y"), "id").collectAsList();
        } finally {
            cached.unpersist();
        }
        assertThat(shown().get("engine requests")).first().isEqualTo("6");
        assertThat(shown().get("engine requests").stream()
                        .mapToInt(Integer::parseInt)
                        .sum())
                .isEqualTo(6);
    }
}
