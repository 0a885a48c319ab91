package io.kindling.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.codahale.metrics.Gauge;
import com.codahale.metrics.MetricFilter;
import com.codahale.metrics.MetricRegistry;
import io.kindling.spark.runtime.FakeEngines;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.SparkEnv;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KindlingPluginTest {
    @TempDir
    Path model;

    private SparkSession start(String warmUp) {
        FakeEngines.install();
        return SparkSession.builder()
                .master("local[2]")
                .config("spark.ui.enabled", false)
                .config("spark.sql.warehouse.dir", model.resolve("warehouse").toString())
                .config("spark.plugins", KindlingPlugin.class.getName())
                .config("spark.kindling.model.fake", model.toUri().toString())
                .config("spark.kindling.warmup", warmUp)
                .getOrCreate();
    }

    private static Map<String, Object> gauges() {
        MetricFilter ours = (name, metric) -> name.contains(KindlingPlugin.class.getName());
        Map<String, Object> values = new TreeMap<>();
        MetricRegistry registry = registry();
        registry.getGauges(ours)
                .forEach((name, gauge) -> values.put(
                        name.substring(name.indexOf(KindlingPlugin.class.getName())
                                + KindlingPlugin.class.getName().length()
                                + 1),
                        ((Gauge<?>) gauge).getValue()));
        return values;
    }

    /** Spark gives its registry to sinks alone. */
    private static MetricRegistry registry() {
        try {
            Object system = SparkEnv.get().metricsSystem();
            var field = system.getClass().getDeclaredField("registry");
            field.setAccessible(true);
            return (MetricRegistry) field.get(system);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void modelsAreLoadedBeforeTasksSeenInTheMetricsSystemAndClosedAtTheEnd() {
        try (SparkSession session = start("fake")) {
            await().atMost(Duration.ofSeconds(30))
                    .untilAsserted(() -> assertThat(FakeEngines.LOADED).hasValue(1));
            Map<String, Object> before = gauges();
            session.sql("SELECT explode(array('a', 'b', 'BAD', NULL)) AS q").createOrReplaceTempView("rows");
            Generation.of("fake").prompt("{q}").apply(session.table("rows")).collectAsList();
            assertThat(FakeEngines.ATTEMPTS).as("the task finds it loaded").hasValue(1);
            Map<String, Object> gauges = gauges();
            assertThat(gauges).containsEntry("sessions", 1).containsKeys("model load ms", "model bytes");
            Map.of(
                            "rows", 4L,
                            "failed rows", 1L,
                            "engine requests", 3L,
                            "deduplicated", 0L,
                            "prompt tokens", 3L + 3 + 2,
                            "generated tokens", 2L + 2,
                            "prefix hits", 2L * 16)
                    .forEach((name, count) -> assertThat((long) gauges.get(name) - (long) before.get(name))
                            .as(name)
                            .isEqualTo(count));
            assertThat((long) gauges.get("KV pages peak")).isGreaterThanOrEqualTo(3);
            assertThat((double) gauges.get("mean batch size")).isGreaterThan(1);
            assertThat((double) gauges.get("tokens per second")).isPositive();
        }
        assertThat(FakeEngines.LOADED).hasValue(0);
    }

    @Test
    void aWrongAliasEndsTheApplicationAtItsStart() {
        assertThatThrownBy(() -> start("nowhere")).hasMessageContaining("no model is named 'nowhere'");
    }
}
