package io.kindling.spark.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RowSplitTest {
    private static List<Integer> deal(RowSplit split, int from, int... bytes) {
        RowSplit.Dealer dealer = split.new Dealer(from);
        return IntStream.of(bytes).mapToObj(dealer::next).toList();
    }

    @Test
    void aRowGoesWhereTheFewestTokensAre() {
        // 101 tokens in one partition outweigh nine times 11 in the other
        assertThat(deal(new RowSplit(2, 0), 0, 400, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40))
                .containsExactly(0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0);
    }

    @Test
    void textsToComeCountForRowsThatAModelSees() {
        assertThat(deal(new RowSplit(2, 20), 0, 0, RowSplit.NO_PROMPT, RowSplit.NO_PROMPT, RowSplit.NO_PROMPT, 80))
                .containsExactly(0, 1, 1, 1, 1);
    }

    @Test
    void fewRowsOfManyPartitionsGoToAll() {
        // multiples of 0.618… in fourths: 0, 0.618, 0.236, 0.854
        assertThat(IntStream.range(0, 4)
                        .map(from -> deal(new RowSplit(4, 0), from, 4).get(0)))
                .containsExactly(0, 2, 0, 3);
    }
}
