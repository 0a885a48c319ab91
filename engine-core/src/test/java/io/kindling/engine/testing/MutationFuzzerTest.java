package io.kindling.engine.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MutationFuzzerTest {
    private static final List<byte[]> SEEDS = List.of(new byte[] {1, 2, 3});

    @TempDir
    Path folder;

    @Test
    void reportsAnotherExceptionAndKeepsItsInput() throws IOException {
        Path finding = folder.resolve("finding");
        assertThatThrownBy(() -> run(finding, input -> {
                    if (input.length > 4 && input[0] != 1) {
                        throw new IllegalStateException("seen");
                    }
                }))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("ends in java.lang.IllegalStateException: seen");
        assertThat(Files.readAllBytes(finding))
                .satisfies(kept -> assertThat(kept[0]).isNotEqualTo((byte) 1));
    }

    @Test
    void reportsErrorsOfTheMachine() {
        assertThatThrownBy(() -> run(folder.resolve("finding"), input -> deep(input, 0)))
                .isInstanceOf(AssertionError.class)
                .hasCauseInstanceOf(StackOverflowError.class);
    }

    private static int deep(byte[] input, int depth) {
        return deep(input, depth + 1) + input.length;
    }

    @Test
    void reportsAnInputThatTakesTooLong() {
        CountDownLatch never = new CountDownLatch(1);
        assertThatThrownBy(() -> run(folder.resolve("finding"), input -> {
                    try {
                        never.await();
                    } catch (InterruptedException stopped) {
                        Thread.currentThread().interrupt();
                    }
                }))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("takes more than PT0.2S");
    }

    @Test
    void acceptsSuccessAndTypedErrors() {
        long read = run(folder.resolve("finding"), input -> {
            if (input.length % 2 == 0) {
                throw new KindlingException(ErrorCode.MODEL_INVALID, "even");
            }
        });
        assertThat(read).isGreaterThan(100);
    }

    private static long run(Path finding, MutationFuzzer.Target target) {
        return new MutationFuzzer(target, SEEDS, List.of(), Duration.ofMillis(200))
                .run(Duration.ofMillis(300), 1, finding);
    }
}
