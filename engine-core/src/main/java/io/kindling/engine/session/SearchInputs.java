package io.kindling.engine.session;

import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.OperatorException;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Node;
import io.kindling.engine.provider.Tensor;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;

/** What {@code GreedySearch} and {@code BeamSearch} are given, and the rules that change scores before a token is chosen. */
final class SearchInputs {
    private final Frame frame;
    private final PlannedNode node;
    private final int first;
    private final int repeatedNgram;
    private final long minLength;
    private final float repetitionPenalty;
    private final int[] vocabularyMask;
    private final int[] prefixMask;

    final int batch;
    final int promptLength;
    final int maxLength;
    final int endToken;
    final int padToken;
    final int[][] prompts;
    final int[][] masks;

    /** @param first the input that holds the repetition penalty; the masks follow it */
    SearchInputs(Frame frame, PlannedNode node, int first) {
        this.frame = frame;
        this.node = node;
        this.first = first;
        Node attributes = node.node();
        Tensor ids = tensor(0, DataType.INT32);
        if (ids == null || ids.rank() != 2) {
            throw invalid("input_ids must be [batch, length], found " + ids);
        }
        batch = (int) ids.dim(0);
        promptLength = (int) ids.dim(1);
        maxLength = Math.toIntExact(integer(1, 20));
        minLength = integer(2, 0);
        endToken = (int) attributes.intAttribute("eos_token_id", -1);
        padToken = (int) attributes.intAttribute("pad_token_id", -1);
        repeatedNgram = (int) attributes.intAttribute("no_repeat_ngram_size", 0);
        repetitionPenalty = number(first, 1);
        vocabularyMask = integers(first + 1);
        prefixMask = integers(first + 2);
        if (batch < 1 || promptLength < 1 || maxLength <= promptLength) {
            throw invalid("max_length " + maxLength + " must be above the length of input_ids " + ids);
        }
        prompts = rows(integers(0), batch);
        int[] given = integers(first + 3);
        masks = given == null ? new int[batch][promptLength] : rows(given, batch);
        for (int row = 0; given == null && row < batch; row++) {
            for (int k = 0; k < promptLength; k++) {
                masks[row][k] = prompts[row][k] == padToken ? 0 : 1;
            }
        }
        if (masks[0].length != promptLength) {
            throw invalid("attention_mask must have the shape of input_ids " + ids);
        }
    }

    private static int[][] rows(int[] values, int count) {
        int[][] rows = new int[count][];
        int width = values.length / count;
        for (int row = 0; row < count; row++) {
            rows[row] = Arrays.copyOfRange(values, row * width, (row + 1) * width);
        }
        return rows;
    }

    /** Applies the rules in ONNX Runtime's order. */
    void adjust(float[] scores, int[] sequence, int length, int batchRow) {
        Set<Integer> seen = new HashSet<>();
        for (int k = 0; k < length && repetitionPenalty != 1; k++) {
            int token = sequence[k];
            if (token >= 0 && token < scores.length && seen.add(token)) {
                scores[token] =
                        scores[token] < 0 ? scores[token] * repetitionPenalty : scores[token] / repetitionPenalty;
            }
        }
        if (repeatedNgram > 0 && length >= repeatedNgram) {
            forbidRepeats(scores, sequence, length);
        }
        for (int token = 0; token < scores.length; token++) {
            boolean masked = vocabularyMask != null && vocabularyMask[token] == 0
                    || prefixMask != null
                            && length == promptLength
                            && prefixMask[batchRow * scores.length + token] == 0;
            if (masked) {
                scores[token] = -Float.MAX_VALUE;
            }
        }
        if (length < minLength && endToken >= 0) {
            scores[endToken] = -Float.MAX_VALUE;
        }
    }

    private void forbidRepeats(float[] scores, int[] sequence, int length) {
        int prefix = repeatedNgram - 1;
        for (int start = 0; start + prefix < length; start++) {
            int token = sequence[start + prefix];
            if (token >= 0
                    && token < scores.length
                    && Arrays.equals(sequence, start, start + prefix, sequence, length - prefix, length)) {
                scores[token] = -Float.MAX_VALUE;
            }
        }
    }

    /** The only element of an int32 input. */
    long integer(int input, long absent) {
        int[] values = integers(input);
        return values == null ? absent : values[0];
    }

    /** The only element of a float input. */
    float number(int input, float absent) {
        Tensor tensor = tensor(input, DataType.FLOAT);
        return tensor == null
                ? absent
                : HostScalars.onHost(frame, tensor).floats().get(0);
    }

    private int[] integers(int input) {
        Tensor tensor = tensor(input, DataType.INT32);
        if (tensor == null) {
            return null;
        }
        int[] values = new int[(int) tensor.elementCount()];
        HostScalars.onHost(frame, tensor).ints().get(0, values);
        return values;
    }

    private Tensor tensor(int input, DataType type) {
        if (input >= node.inputs().length || node.inputs()[input] < 0) {
            return null;
        }
        if (!(frame.value(node.inputs()[input]) instanceof Tensor tensor)
                || tensor.type() != type
                || tensor.elementCount() < 1) {
            throw invalid("input " + input + " must be a " + type.onnxName() + " tensor");
        }
        return tensor;
    }

    OperatorException invalid(String problem) {
        return new OperatorException(
                ErrorCode.SHAPE_OR_TYPE, node.node().operator(), node.node().name(), problem);
    }
}
