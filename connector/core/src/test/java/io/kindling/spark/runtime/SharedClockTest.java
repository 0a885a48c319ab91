package io.kindling.spark.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class SharedClockTest {
    private final AtomicLong now = new AtomicLong(5_000_000_000L);
    private final SharedClock clock = new SharedClock(now::get);

    private void pass(int seconds) {
        now.addAndGet(seconds * 1_000_000_000L);
    }

    @Test
    void timeIsDividedAmongThoseWhoWorkAndIdleTimeIsNobodys() {
        pass(3);
        double first = clock.enter();
        pass(2);
        double second = clock.enter();
        pass(4);
        double firstSeconds = clock.leave(first);
        pass(1);
        double secondSeconds = clock.leave(second);
        pass(7);
        assertThat(firstSeconds).isCloseTo(2 + 4 / 2.0, within(1e-9));
        assertThat(secondSeconds).isCloseTo(4 / 2.0 + 1, within(1e-9));
        double third = clock.enter();
        pass(6);
        assertThat(clock.leave(third)).isCloseTo(6, within(1e-9));
    }
}
