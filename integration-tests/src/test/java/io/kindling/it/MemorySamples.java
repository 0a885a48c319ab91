package io.kindling.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;

/** What {@code processes.Watch} saw of a job: [seconds, [anonymous MiB of driver and executor], bytes written]. */
final class MemorySamples {
    private static final int PROCESSES = 2;
    private static final double ALLOWANCE = 1.05;

    private final List<JsonNode> samples = new ArrayList<>();

    MemorySamples(JsonNode report) {
        report.get("samples").forEach(samples::add);
    }

    /** The first third of the time is for the start: on busy machines Java compiles longer. */
    void checkFlat() {
        for (int process = 0; process < PROCESSES; process++) {
            List<Integer> memory = new ArrayList<>();
            for (JsonNode sample : samples.subList(samples.size() / 3, samples.size())) {
                memory.add(sample.get(1).get(process).asInt());
            }
            int least = memory.stream().min(Integer::compare).orElseThrow();
            assertThat(memory).as("anonymous MiB of process " + process).allSatisfy(mib -> assertThat((double) mib)
                    .isLessThanOrEqualTo(least * ALLOWANCE));
        }
    }

    void checkThatRowsLeaveWhileOthersAreRead() {
        assertThat(samples.get(samples.size() / 2).get(2).asLong())
                .as("bytes written when half of the time was over")
                .isPositive();
    }

    /** In a few words, for the log of the tests. */
    @Override
    public String toString() {
        return "first " + samples.get(0) + ", warm " + samples.get(samples.size() / 3) + ", last "
                + samples.get(samples.size() - 1);
    }
}
