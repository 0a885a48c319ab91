package io.kindling.engine.testing;

import io.kindling.engine.error.KindlingException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;

/** What readers of files from elsewhere keep to, whatever the bytes: see docs/fuzzing.md. */
public final class Untrusted {
    /** How long an ordinary build fuzzes each target. */
    public static final String BOUNDED = "5s";

    private static final Duration LONGEST = Duration.ofSeconds(5);
    private static final ThreadMXBean CLOCK = ManagementFactory.getThreadMXBean();

    /** What reads an input. */
    @FunctionalInterface
    public interface Reader {
        void read() throws Exception;
    }

    private Untrusted() {}

    /**
     * Reads an input. One that takes more than five seconds of this thread's processor time is read again, since a first
     * reading also loads classes.
     *
     * @throws AssertionError unless the reader ends well or with a {@link KindlingException}, within five seconds
     */
    public static void read(Reader reader) throws Exception {
        if (timed(reader).compareTo(LONGEST) > 0) {
            Duration again = timed(reader);
            if (again.compareTo(LONGEST) > 0) {
                throw new AssertionError("took " + again);
            }
        }
    }

    private static Duration timed(Reader reader) throws Exception {
        long start = CLOCK.getCurrentThreadCpuTime();
        try {
            reader.read();
        } catch (KindlingException refused) {
            if (refused.getMessage() == null || refused.getMessage().isBlank()) {
                throw new AssertionError("refused without a message", refused);
            }
        }
        return Duration.ofNanos(CLOCK.getCurrentThreadCpuTime() - start);
    }
}
