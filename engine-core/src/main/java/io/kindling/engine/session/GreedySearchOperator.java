package io.kindling.engine.session;

import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Node;
import io.kindling.engine.provider.Tensor;
import java.util.Arrays;

/**
 * {@code com.microsoft::GreedySearch}: appends the likeliest token until {@code max_length}. What follows the end token, and it
 * itself, is padding.
 */
final class GreedySearchOperator implements ControlFlow {
    private static final int REPETITION_PENALTY = 3;

    private final GraphPlan[] bodies;

    private GreedySearchOperator(GraphPlan decoder) {
        bodies = new GraphPlan[] {decoder};
    }

    static GreedySearchOperator plan(Node node, Planner planner) {
        return new GreedySearchOperator(SearchDecoder.plan(node, planner));
    }

    @Override
    public GraphPlan[] bodies() {
        return bodies;
    }

    @Override
    public void execute(Frame frame, PlannedNode node, int nodeIndex) {
        SearchInputs inputs = new SearchInputs(frame, node, REPETITION_PENALTY);
        SearchDecoder decoder = new SearchDecoder(frame, node, nodeIndex, inputs.prompts, inputs.masks);
        int[][] sequences = new int[inputs.batch][inputs.maxLength];
        for (int row = 0; row < inputs.batch; row++) {
            Arrays.fill(sequences[row], inputs.padToken);
            System.arraycopy(inputs.prompts[row], 0, sequences[row], 0, inputs.promptLength);
        }
        boolean[] ended = new boolean[inputs.batch];
        int open = inputs.batch;
        int[][] tokens = inputs.prompts;
        for (int length = inputs.promptLength; length < inputs.maxLength && open > 0; length++) {
            float[][] scores = decoder.step(tokens);
            tokens = new int[inputs.batch][1];
            for (int row = 0; row < inputs.batch; row++) {
                inputs.adjust(scores[row], sequences[row], length, row);
                int token = likeliest(scores[row]);
                if (!ended[row] && token == inputs.endToken) {
                    ended[row] = true;
                    open--;
                }
                tokens[row][0] = ended[row] ? inputs.padToken : token;
                sequences[row][length] = tokens[row][0];
            }
        }
        Tensor output = Tensor.allocateHost(DataType.INT32, inputs.batch, inputs.maxLength);
        for (int row = 0; row < inputs.batch; row++) {
            output.ints().put(row * inputs.maxLength, sequences[row]);
        }
        frame.copyIn(node.outputs()[0], output);
    }

    private static int likeliest(float[] scores) {
        int best = 0;
        for (int k = 1; k < scores.length; k++) {
            best = scores[k] > scores[best] ? k : best;
        }
        return best;
    }
}
