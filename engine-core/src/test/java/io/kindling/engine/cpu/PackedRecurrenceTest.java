package io.kindling.engine.cpu;

import static org.assertj.core.api.Assertions.assertThat;

import io.kindling.engine.ir.Attribute;
import io.kindling.engine.ir.PackedRecurrence;
import io.kindling.engine.provider.Tensor;
import io.kindling.engine.provider.Value;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Sequences that are packed and cut into runs give the bits of the same sequences alone, which ONNX's cases check. */
class PackedRecurrenceTest {
    private static final int[] LENGTHS = {1, 7, 4};
    private static final int SLOTS = 8;
    private static final int HEADS = 2;
    private static final int SIZE = 3;
    private static final int CHANNELS = 35;
    private static final int CARRY = 3;
    private final Random random = new Random(11);

    private float[] floats(int count) {
        float[] values = new float[count];
        for (int k = 0; k < count; k++) {
            values[k] = (float) random.nextGaussian();
        }
        return values;
    }

    /** How many tokens of each sequence a run takes. */
    private static final int[][] RUNS = {{1, 2, 0}, {0, 1, 3}, {0, 4, 1}};

    /** A recurrence over inputs {@code [1, tokens, width]} each, and its state. */
    private interface Packed {
        /** Output of shape {@code [1, tokens, width]} and, for whole sequences, the state behind it. */
        List<float[]> run(List<float[]> inputs, int tokens, Tensor... places);
    }

    private void assertRunsGiveTheBitsOfWholeSequences(int[] widths, int outWidth, int stateSize, Packed recurrence) {
        List<List<float[]>> sequences = new ArrayList<>();
        for (int length : LENGTHS) {
            List<float[]> inputs = new ArrayList<>();
            for (int width : widths) {
                inputs.add(floats(length * width));
            }
            sequences.add(inputs);
        }
        Tensor states = Tensor.ofFloats(new long[] {SLOTS, stateSize}, floats(SLOTS * stateSize));
        int[] fed = new int[LENGTHS.length];
        int[] side = new int[LENGTHS.length];
        float[][] outputs = new float[LENGTHS.length][0];
        for (int[] run : RUNS) {
            List<Integer> members = new ArrayList<>();
            List<Integer> sequence = new ArrayList<>();
            List<Integer> position = new ArrayList<>();
            for (int s = 0; s < run.length; s++) {
                for (int t = 0; t < run[s]; t++) {
                    sequence.add(members.size());
                    position.add(fed[s] + t);
                }
                if (run[s] > 0) {
                    members.add(s);
                }
            }
            List<float[]> inputs = new ArrayList<>();
            for (int k = 0; k < widths.length; k++) {
                float[] joined = new float[0];
                for (int s : members) {
                    joined = join(
                            joined,
                            Arrays.copyOfRange(
                                    sequences.get(s).get(k), fed[s] * widths[k], (fed[s] + run[s]) * widths[k]));
                }
                inputs.add(joined);
            }
            int[] slots = members.stream()
                    .flatMap(s -> List.of(2 * s + side[s], 2 * s + 1 - side[s]).stream())
                    .mapToInt(Integer::intValue)
                    .toArray();
            float[] before = OneNode.floats(states);
            float[] output = recurrence
                    .run(
                            inputs,
                            sequence.size(),
                            states,
                            ints(slots, members.size(), 2),
                            ints(sequence),
                            ints(position))
                    .get(0);
            int at = 0;
            for (int s : members) {
                outputs[s] = join(outputs[s], Arrays.copyOfRange(output, at, at += run[s] * outWidth));
                int kept = (2 * s + side[s]) * stateSize;
                assertThat(Arrays.copyOfRange(OneNode.floats(states), kept, kept + stateSize))
                        .isEqualTo(Arrays.copyOfRange(before, kept, kept + stateSize));
                fed[s] += run[s];
                side[s] = 1 - side[s];
            }
        }
        for (int s = 0; s < LENGTHS.length; s++) {
            List<float[]> whole = recurrence.run(sequences.get(s), LENGTHS[s]);
            assertThat(outputs[s]).isEqualTo(whole.get(0));
            int at = (2 * s + side[s]) * stateSize;
            assertThat(Arrays.copyOfRange(OneNode.floats(states), at, at + stateSize))
                    .isEqualTo(whole.get(1));
        }
    }

    private static float[] join(float[] first, float[] second) {
        float[] both = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, both, first.length, second.length);
        return both;
    }

    private static Tensor ints(int[] values, long... shape) {
        return Tensor.ofInts(shape, values);
    }

    private static Tensor ints(List<Integer> values) {
        return ints(values.stream().mapToInt(Integer::intValue).toArray(), values.size());
    }

    @Test
    void linearAttention() {
        assertRunsGiveTheBitsOfWholeSequences(
                new int[] {HEADS * SIZE, HEADS * SIZE, HEADS * SIZE, HEADS, HEADS},
                HEADS * SIZE,
                HEADS * SIZE * SIZE,
                (inputs, tokens, places) -> {
                    Value[] values = values(6, places);
                    for (int k = 0; k < inputs.size(); k++) {
                        long width = inputs.get(k).length / tokens;
                        values[k < 3 ? k : k + 1] = Tensor.ofFloats(new long[] {1, tokens, width}, inputs.get(k));
                    }
                    OneNode node = node(PackedRecurrence.LINEAR_ATTENTION, places)
                            .with("q_num_heads", HEADS)
                            .with("kv_num_heads", HEADS);
                    return results(node, values, new long[] {SLOTS, HEADS, SIZE, SIZE});
                });
    }

    @Test
    void convolutionOverChannelsLast() {
        float[] weight = floats(CHANNELS * (CARRY + 1));
        assertRunsGiveTheBitsOfWholeSequences(
                new int[] {CHANNELS}, CHANNELS, CHANNELS * CARRY, (inputs, tokens, places) -> {
                    Value[] values = values(4, places);
                    values[0] = Tensor.ofFloats(new long[] {1, tokens, CHANNELS}, inputs.get(0));
                    values[1] = Tensor.ofFloats(new long[] {CHANNELS, 1, CARRY + 1}, weight);
                    OneNode node = node(PackedRecurrence.CAUSAL_CONV, places)
                            .with("activation", Attribute.of("silu"))
                            .with("channels_last", 1);
                    return results(node, values, new long[] {SLOTS, CARRY, CHANNELS});
                });
    }

    private static OneNode node(String operator, Tensor... places) {
        return OneNode.of(places.length == 0 ? "com.microsoft" : "kindling", 1, operator)
                .outputs(places.length == 0 ? 2 : 1);
    }

    /** Room for all inputs, the places behind them. */
    private static Value[] values(int exported, Tensor... places) {
        Value[] values = new Value[places.length == 0 ? exported : PackedRecurrence.TOKEN_POSITION + 1];
        for (int k = 1; k < places.length; k++) {
            values[PackedRecurrence.SEQUENCE_SLOT + k - 1] = places[k];
        }
        if (places.length > 0) {
            values[PackedRecurrence.STATE] = places[0];
        }
        return values;
    }

    private static List<float[]> results(OneNode node, Value[] values, long[] stateShape) {
        if (values.length > PackedRecurrence.STATE && values[PackedRecurrence.STATE] instanceof Tensor states) {
            values[PackedRecurrence.STATE] = Tensor.of(states.type(), stateShape, states.buffer());
        }
        return node.runAll(values).stream().map(OneNode::floats).toList();
    }
}
