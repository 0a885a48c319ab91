package io.kindling.spark.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CustomMetricsTest {
    @Test
    void theMeanIsOverAllAndNotOverTheTasks() {
        long manyRows = MeanMetric.pack(9_000_000_000.0, 1_000_000_000.0);
        long fewRows = MeanMetric.pack(10, 10);
        assertThat(new MeanMetric().aggregateTaskMetrics(new long[] {manyRows, 0, fewRows}))
                .isEqualTo("9.0");
        assertThat(new MeanMetric()
                        .aggregateTaskMetrics(
                                new long[] {MeanMetric.pack(6, 2), MeanMetric.pack(1, 1), MeanMetric.pack(4000, 1)}))
                .isEqualTo("1,001.8");
        assertThat(new MeanMetric().aggregateTaskMetrics(new long[] {0, 0})).isEqualTo("0.0");
    }

    @Test
    void thePeakIsTheHighest() {
        assertThat(new PeakMetric().aggregateTaskMetrics(new long[] {7, 1200, 0}))
                .isEqualTo("1,200");
        assertThat(new PeakMetric().aggregateTaskMetrics(new long[0])).isEqualTo("0");
    }
}
