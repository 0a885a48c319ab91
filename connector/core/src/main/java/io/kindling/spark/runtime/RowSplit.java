package io.kindling.spark.runtime;

import java.io.Serializable;
import java.util.Comparator;
import java.util.PriorityQueue;

/**
 * Deals rows to partitions so that each gets about as many tokens: the next row goes to the partition that has the fewest.
 *
 * @param partitions how many, at least one
 * @param newTokens what a row may add to the tokens of its prompt
 */
public record RowSplit(int partitions, int newTokens) implements Serializable {
    /** A rule of thumb for texts. */
    public static final int BYTES_OF_A_TOKEN = 4;

    /** Of 2^32: its multiples lie far apart. */
    private static final int GOLDEN_RATIO = 0x9E3779B9;

    /** For a row that no model sees. */
    public static final int NO_PROMPT = -1;

    /** One for each partition of the input. */
    public final class Dealer {
        private final PriorityQueue<Hand> hands =
                new PriorityQueue<>(Comparator.comparingLong(Hand::tokens).thenComparingInt(Hand::turn));

        /** @param from the input's partition: each begins with another one, so that few rows of many go to all */
        public Dealer(int from) {
            int first = (int) (Integer.toUnsignedLong(from * GOLDEN_RATIO) * partitions >>> Integer.SIZE);
            for (int turn = 0; turn < partitions; turn++) {
                hands.add(new Hand((first + turn) % partitions, turn, 0));
            }
        }

        /**
         * The partition of a row.
         *
         * @param promptBytes length of its prompt in UTF-8, or {@link #NO_PROMPT}
         */
        public int next(int promptBytes) {
            Hand least = hands.remove();
            long tokens = promptBytes == NO_PROMPT ? 1 : 1 + promptBytes / BYTES_OF_A_TOKEN + newTokens;
            hands.add(new Hand(least.partition(), least.turn(), least.tokens() + tokens));
            return least.partition();
        }
    }

    private record Hand(int partition, int turn, long tokens) {}
}
