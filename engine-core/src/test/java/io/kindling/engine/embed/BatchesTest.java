package io.kindling.engine.embed;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BatchesTest {
    @Test
    void likeLengthsRunTogetherWithinTheBudget() {
        assertThat(Batches.of(new int[] {3, 10, 4, 9, 1}, 20, 32, true))
                .containsExactly(new int[] {1, 3}, new int[] {2, 0, 4});
    }

    @Test
    void aTextBeyondTheBudgetRunsAlone() {
        assertThat(Batches.of(new int[] {50, 2}, 20, 32, true)).containsExactly(new int[] {0}, new int[] {1});
    }

    @Test
    void rowsAreLimited() {
        assertThat(Batches.of(new int[] {1, 1, 1}, 20, 2, true)).containsExactly(new int[] {0, 1}, new int[] {2});
    }

    @Test
    void withoutAMaskOnlyEqualLengthsMeet() {
        assertThat(Batches.of(new int[] {2, 3, 2}, 20, 32, false)).containsExactly(new int[] {1}, new int[] {0, 2});
    }

    @Test
    void nothingIsNoBatch() {
        assertThat(Batches.of(new int[0], 20, 32, true)).isEmpty();
    }
}
