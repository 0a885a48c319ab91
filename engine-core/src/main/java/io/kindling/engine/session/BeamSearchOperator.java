package io.kindling.engine.session;

import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.OperatorException;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Node;
import io.kindling.engine.provider.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/**
 * {@code com.microsoft::BeamSearch}: keeps the likeliest {@code num_beams} sequences of each prompt. Finished ones are ranked by their
 * log probability over {@code length ^ length_penalty}; outputs are {@code sequences [batch, num_return_sequences, max_length]} and
 * {@code sequences_scores}.
 */
final class BeamSearchOperator implements ControlFlow {
    private static final int REPETITION_PENALTY = 6;
    /** The score of a beam that no token came from yet. */
    private static final float CLOSED = -1e9f;

    private final GraphPlan[] bodies;

    private BeamSearchOperator(GraphPlan decoder) {
        bodies = new GraphPlan[] {decoder};
    }

    static BeamSearchOperator plan(Node node, Planner planner) {
        if (node.outputs().size() > 2 && !node.outputs().get(2).isEmpty()) {
            throw new OperatorException(
                    ErrorCode.UNSUPPORTED, node.operator(), node.name(), "output scores is not computed");
        }
        return new BeamSearchOperator(SearchDecoder.plan(node, planner));
    }

    @Override
    public GraphPlan[] bodies() {
        return bodies;
    }

    @Override
    public void execute(Frame frame, PlannedNode node, int nodeIndex) {
        new Search(frame, node, nodeIndex).run();
    }

    /** A token that continues a beam. */
    private record Candidate(int beam, int token, float score) {}

    /** One run. Beams of all prompts are rows of one batch, those of a prompt side by side. */
    private static final class Search {
        private final Frame frame;
        private final PlannedNode node;
        private final SearchInputs inputs;
        private final int beams;
        private final int returned;
        private final SearchDecoder decoder;
        private final BeamHypotheses[] finished;
        private final float[] scores;
        private int[][] sequences;
        private int length;

        private Search(Frame frame, PlannedNode node, int nodeIndex) {
            this.frame = frame;
            this.node = node;
            inputs = new SearchInputs(frame, node, REPETITION_PENALTY);
            beams = (int) inputs.integer(3, 1);
            returned = (int) inputs.integer(4, 1);
            if (beams < 1 || returned < 1 || returned > beams) {
                throw inputs.invalid(returned + " of " + beams + " beams cannot be returned");
            }
            int rows = inputs.batch * beams;
            sequences = new int[rows][];
            int[][] prompts = new int[rows][];
            int[][] masks = new int[rows][];
            scores = new float[rows];
            for (int row = 0; row < rows; row++) {
                prompts[row] = inputs.prompts[row / beams];
                masks[row] = inputs.masks[row / beams].clone();
                sequences[row] = Arrays.copyOf(prompts[row], inputs.maxLength);
                // All beams begin alike: only the first may be continued.
                scores[row] = row % beams == 0 ? 0 : CLOSED;
            }
            length = inputs.promptLength;
            decoder = new SearchDecoder(frame, node, nodeIndex, prompts, masks);
            finished = new BeamHypotheses[inputs.batch];
            for (int k = 0; k < finished.length; k++) {
                finished[k] = new BeamHypotheses(
                        beams, inputs.number(5, 1), node.node().intAttribute("early_stopping", 0) != 0);
            }
        }

        private void run() {
            int[][] tokens = firstTokens();
            boolean open = true;
            while (length < inputs.maxLength && open) {
                float[][] next = decoder.step(tokens);
                for (int row = 0; row < next.length; row++) {
                    toLogProbabilities(next[row]);
                    inputs.adjust(next[row], sequences[row], length, row / beams);
                    for (int k = 0; k < next[row].length; k++) {
                        next[row][k] += scores[row];
                    }
                }
                int[] sources = new int[next.length];
                tokens = new int[next.length][1];
                open = false;
                for (int prompt = 0; prompt < inputs.batch; prompt++) {
                    choose(prompt, next, sources, tokens);
                    open |= !finished[prompt].isDone();
                }
                append(sources, tokens);
                decoder.reorder(sources);
            }
            for (int row = 0; row < sequences.length; row++) {
                if (!finished[row / beams].isDone()) {
                    finished[row / beams].add(Arrays.copyOf(sequences[row], length), scores[row]);
                }
            }
            output();
        }

        private int[][] firstTokens() {
            int[][] tokens = new int[sequences.length][];
            for (int row = 0; row < tokens.length; row++) {
                tokens[row] = inputs.prompts[row / beams];
            }
            return tokens;
        }

        private static void toLogProbabilities(float[] logits) {
            double max = Double.NEGATIVE_INFINITY;
            for (float logit : logits) {
                max = Math.max(max, logit);
            }
            double sum = 0;
            for (float logit : logits) {
                sum += Math.exp(logit - max);
            }
            double shift = max + Math.log(sum);
            for (int k = 0; k < logits.length; k++) {
                logits[k] = (float) (logits[k] - shift);
            }
        }

        /** Twice as many candidates as beams, so that end tokens leave enough to go on with. */
        private void choose(int prompt, float[][] next, int[] sources, int[][] tokens) {
            int base = prompt * beams;
            if (finished[prompt].isDone()) {
                for (int row = base; row < base + beams; row++) {
                    scores[row] = 0;
                    sources[row] = row;
                    tokens[row][0] = inputs.padToken;
                }
                return;
            }
            List<Candidate> candidates = candidates(base, next);
            int kept = 0;
            for (int rank = 0; rank < candidates.size() && kept < beams; rank++) {
                Candidate candidate = candidates.get(rank);
                if (candidate.token() == inputs.endToken) {
                    if (rank < beams) {
                        finished[prompt].add(Arrays.copyOf(sequences[candidate.beam()], length), candidate.score());
                    }
                } else {
                    int row = base + kept++;
                    scores[row] = candidate.score();
                    sources[row] = candidate.beam();
                    tokens[row][0] = candidate.token();
                }
            }
            finished[prompt].settle(candidates.get(0).score(), length);
        }

        private List<Candidate> candidates(int base, float[][] next) {
            PriorityQueue<Candidate> best = new PriorityQueue<>(Comparator.comparingDouble(Candidate::score));
            for (int row = base; row < base + beams; row++) {
                for (int token = 0; token < next[row].length; token++) {
                    float score = next[row][token];
                    if (best.size() < 2 * beams || score > best.peek().score()) {
                        best.add(new Candidate(row, token, score));
                    }
                    if (best.size() > 2 * beams) {
                        best.remove();
                    }
                }
            }
            List<Candidate> sorted = new ArrayList<>(best);
            sorted.sort(Comparator.comparingDouble(Candidate::score).reversed());
            return sorted;
        }

        private void append(int[] sources, int[][] tokens) {
            int[][] grown = new int[sequences.length][];
            for (int row = 0; row < grown.length; row++) {
                grown[row] = sequences[sources[row]].clone();
                grown[row][length] = tokens[row][0];
            }
            sequences = grown;
            length++;
        }

        private void output() {
            Tensor texts = Tensor.allocateHost(DataType.INT32, inputs.batch, returned, inputs.maxLength);
            Tensor ranks = Tensor.allocateHost(DataType.FLOAT, inputs.batch, returned);
            for (int place = 0; place < inputs.batch * returned; place++) {
                BeamHypotheses.Hypothesis chosen =
                        finished[place / returned].best().get(place % returned);
                int[] padded = new int[inputs.maxLength];
                Arrays.fill(padded, inputs.padToken);
                System.arraycopy(chosen.tokens(), 0, padded, 0, chosen.tokens().length);
                texts.ints().put(place * inputs.maxLength, padded);
                ranks.floats().put(place, (float) chosen.score());
            }
            frame.copyIn(node.outputs()[0], texts);
            if (node.outputs().length > 1 && node.outputs()[1] >= 0) {
                frame.copyIn(node.outputs()[1], ranks);
            }
        }
    }
}
