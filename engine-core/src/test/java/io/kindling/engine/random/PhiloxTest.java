package io.kindling.engine.random;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PhiloxTest {
    /** The known answers of the authors' library Random123 for philox4x32-10. */
    @ParameterizedTest
    @CsvSource({
        "00000000 00000000 00000000 00000000, 00000000 00000000, 6627e8d5 e169c58d bc57ac4c 9b00dbd8",
        "ffffffff ffffffff ffffffff ffffffff, ffffffff ffffffff, 408f276d 41c83b0e a20bc7c6 6d5451fd",
        "243f6a88 85a308d3 13198a2e 03707344, a4093822 299f31d0, d16cfe09 94fdcceb 5001e420 24126ea1",
    })
    void givesTheKnownAnswers(String counter, String key, String expected) {
        int[] words = words(counter);
        int[] keys = words(key);
        Philox.block(words, keys[0], keys[1]);
        assertThat(words).containsExactly(words(expected));
    }

    private static int[] words(String hex) {
        return java.util.Arrays.stream(hex.split(" "))
                .mapToInt(word -> Integer.parseUnsignedInt(word, 16))
                .toArray();
    }

    @Test
    void numbersAreUniformAndDependOnEveryPart() {
        double sum = 0;
        int draws = 20_000;
        for (int step = 0; step < draws; step++) {
            double number = Philox.uniform(7, 11, step);
            assertThat(number).isBetween(0.0, Math.nextDown(1.0));
            sum += number;
        }
        // Five standard deviations of the mean.
        assertThat(sum / draws).isCloseTo(0.5, within(5 * Math.sqrt(1.0 / 12 / draws)));
        assertThat(new double[] {
                    Philox.uniform(1, 2, 3),
                    Philox.uniform(2, 2, 3),
                    Philox.uniform(1L << 32 | 1, 2, 3),
                    Philox.uniform(1, 3, 3),
                    Philox.uniform(1, 1L << 32 | 2, 3),
                    Philox.uniform(1, 2, 4),
                })
                .doesNotHaveDuplicates();
    }
}
