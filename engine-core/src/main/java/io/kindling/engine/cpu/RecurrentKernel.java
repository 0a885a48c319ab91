package io.kindling.engine.cpu;

import io.kindling.engine.ir.Attribute;
import io.kindling.engine.ir.Node;
import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.KernelContext;
import io.kindling.engine.provider.KernelRequest;
import io.kindling.engine.provider.Tensor;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.DoubleUnaryOperator;
import java.util.function.UnaryOperator;

/** {@code RNN}, {@code GRU} and {@code LSTM}, by the equations of their schemas, in double. */
final class RecurrentKernel implements Kernel {
    private final String kind;
    private final UnaryOperator<double[]> seen;
    private final int gates;
    private final int hidden;
    private final boolean batchFirst;
    private final boolean resetAfter;
    private final boolean coupled;
    private final double clip;
    private final boolean[] backward;
    private final List<DoubleUnaryOperator> functions = new ArrayList<>();

    private RecurrentKernel(Node node, String kind, UnaryOperator<double[]> seen) {
        this.kind = kind;
        this.seen = seen;
        gates = kind.equals("RNN") ? 1 : kind.equals("GRU") ? 3 : 4;
        hidden = (int) node.intAttribute("hidden_size", 0);
        batchFirst = node.intAttribute("layout", 0) != 0;
        resetAfter = node.intAttribute("linear_before_reset", 0) != 0;
        coupled = node.intAttribute("input_forget", 0) != 0;
        clip = node.floatAttribute("clip", Float.POSITIVE_INFINITY);
        backward = switch (node.stringAttribute("direction", "forward")) {
            case "reverse" -> new boolean[] {true};
            case "bidirectional" -> new boolean[] {false, true};
            default -> new boolean[] {false};
        };
        int perDirection = kind.equals("RNN") ? 1 : kind.equals("GRU") ? 2 : 3;
        String[] defaults = {kind.equals("RNN") ? "Tanh" : "Sigmoid", "Tanh", "Tanh"};
        List<Attribute.StringValue> names =
                node.attribute("activations").orElse(null) instanceof Attribute.StringsValue given
                        ? given.values()
                        : List.of();
        Iterator<Float> alphas = ActivationFunctions.parameters(node, "activation_alpha");
        Iterator<Float> betas = ActivationFunctions.parameters(node, "activation_beta");
        for (int k = 0; k < perDirection * backward.length; k++) {
            String name =
                    names.isEmpty() ? defaults[k % perDirection] : names.get(k).text();
            functions.add(ActivationFunctions.of(name, alphas, betas)
                    .orElseThrow(() -> Unsupported.of(node, "has activation " + name)));
        }
    }

    static Kernel create(KernelRequest request) {
        return new RecurrentKernel(request.node(), request.node().opType(), UnaryOperator.identity());
    }

    /**
     * An LSTM whose recurrent products see a changed state.
     *
     * @param seen what the weights are multiplied with instead of a row of the hidden state
     */
    static Kernel lstm(Node node, UnaryOperator<double[]> seen) {
        return new RecurrentKernel(node, "LSTM", seen);
    }

    @Override
    public void execute(KernelContext context) {
        new Run(context).run();
    }

    /** One execution. */
    private final class Run {
        private final KernelContext context;
        private final Tensor x;
        private final int length;
        private final int batch;
        private final int inputSize;
        private final int directions = backward.length;
        private final Tensor y;
        private final Tensor lastHidden;
        private final Tensor lastCell;

        private Run(KernelContext context) {
            this.context = context;
            x = context.input(0);
            length = (int) x.dim(batchFirst ? 1 : 0);
            batch = (int) x.dim(batchFirst ? 0 : 1);
            inputSize = (int) x.dim(2);
            long[] all = batchFirst
                    ? new long[] {batch, length, directions, hidden}
                    : new long[] {length, directions, batch, hidden};
            long[] last = batchFirst ? new long[] {batch, directions, hidden} : new long[] {directions, batch, hidden};
            y = context.hasOutput(0) ? context.output(0, x.type(), all) : null;
            lastHidden = context.hasOutput(1) ? context.output(1, x.type(), last) : null;
            lastCell = context.hasOutput(2) ? context.output(2, x.type(), last) : null;
        }

        private void run() {
            for (int d = 0; d < directions; d++) {
                for (int b = 0; b < batch; b++) {
                    sequence(d, b);
                }
            }
        }

        private int stateAt(int d, int b) {
            return (batchFirst ? b * directions + d : d * batch + b) * hidden;
        }

        private double[] initial(int input, int d, int b) {
            double[] state = new double[hidden];
            if (context.hasInput(input)) {
                TensorIo.load(context.input(input), stateAt(d, b), state, 0, hidden);
            }
            return state;
        }

        private void sequence(int d, int b) {
            double[] h = initial(5, d, b);
            double[] c = kind.equals("LSTM") ? initial(6, d, b) : null;
            int steps = context.hasInput(4) ? (int) TensorIo.getLong(context.input(4), b) : length;
            double[] row = new double[inputSize];
            for (int step = 0; step < length; step++) {
                int t = backward[d] ? (step < steps ? steps - 1 - step : step) : step;
                if (step < steps) {
                    TensorIo.load(x, (batchFirst ? b * length + t : t * batch + b) * inputSize, row, 0, inputSize);
                    switch (kind) {
                        case "RNN" -> h = simple(d, row, h);
                        case "GRU" -> h = gru(d, row, h);
                        default -> h = lstm(d, row, seen.apply(h), c);
                    }
                }
                if (y != null) {
                    int at = batchFirst
                            ? ((b * length + t) * directions + d) * hidden
                            : ((t * directions + d) * batch + b) * hidden;
                    TensorIo.store(step < steps ? h : new double[hidden], 0, y, at, hidden);
                }
            }
            if (lastHidden != null) {
                TensorIo.store(h, 0, lastHidden, stateAt(d, b), hidden);
            }
            if (lastCell != null && c != null) {
                TensorIo.store(c, 0, lastCell, stateAt(d, b), hidden);
            }
        }

        private double clipped(double value) {
            return Math.max(-clip, Math.min(clip, value));
        }

        private double bias(int d, int gate, int j, boolean recurrent) {
            return context.hasInput(3)
                    ? TensorIo.getDouble(
                            context.input(3), (d * 2 * gates + (recurrent ? gates : 0) + gate) * hidden + j)
                    : 0;
        }

        private double dot(int input, int d, int gate, int j, double[] vector, int size) {
            int at = ((d * gates + gate) * hidden + j) * size;
            double sum = 0;
            for (int k = 0; k < size; k++) {
                sum += TensorIo.getDouble(context.input(input), at + k) * vector[k];
            }
            return sum;
        }

        private double fromInput(int d, int gate, int j, double[] row) {
            return dot(1, d, gate, j, row, inputSize) + bias(d, gate, j, false);
        }

        private double fromState(int d, int gate, int j, double[] h) {
            return dot(2, d, gate, j, h, hidden) + bias(d, gate, j, true);
        }

        private double[] simple(int d, double[] row, double[] h) {
            double[] next = new double[hidden];
            for (int j = 0; j < hidden; j++) {
                next[j] = functions.get(d).applyAsDouble(clipped(fromInput(d, 0, j, row) + fromState(d, 0, j, h)));
            }
            return next;
        }

        private double[] gru(int d, double[] row, double[] h) {
            DoubleUnaryOperator f = functions.get(2 * d);
            DoubleUnaryOperator g = functions.get(2 * d + 1);
            double[] update = new double[hidden];
            double[] reset = new double[hidden];
            double[] scaled = new double[hidden];
            for (int j = 0; j < hidden; j++) {
                update[j] = f.applyAsDouble(clipped(fromInput(d, 0, j, row) + fromState(d, 0, j, h)));
                reset[j] = f.applyAsDouble(clipped(fromInput(d, 1, j, row) + fromState(d, 1, j, h)));
                scaled[j] = reset[j] * h[j];
            }
            double[] next = new double[hidden];
            for (int j = 0; j < hidden; j++) {
                double state = resetAfter ? reset[j] * fromState(d, 2, j, h) : fromState(d, 2, j, scaled);
                double candidate = g.applyAsDouble(clipped(fromInput(d, 2, j, row) + state));
                next[j] = (1 - update[j]) * candidate + update[j] * h[j];
            }
            return next;
        }

        private double peephole(int d, int which, int j) {
            return context.hasInput(7) ? TensorIo.getDouble(context.input(7), (d * 3 + which) * hidden + j) : 0;
        }

        /** Gates in the order input, output, forget, cell; peepholes in the order input, output, forget. */
        private double[] lstm(int d, double[] row, double[] h, double[] c) {
            DoubleUnaryOperator f = functions.get(3 * d);
            DoubleUnaryOperator g = functions.get(3 * d + 1);
            DoubleUnaryOperator out = functions.get(3 * d + 2);
            double[] next = new double[hidden];
            for (int j = 0; j < hidden; j++) {
                double input = f.applyAsDouble(
                        clipped(fromInput(d, 0, j, row) + fromState(d, 0, j, h) + peephole(d, 0, j) * c[j]));
                double forget = coupled
                        ? 1 - input
                        : f.applyAsDouble(
                                clipped(fromInput(d, 2, j, row) + fromState(d, 2, j, h) + peephole(d, 2, j) * c[j]));
                double cell = g.applyAsDouble(clipped(fromInput(d, 3, j, row) + fromState(d, 3, j, h)));
                double state = forget * c[j] + input * cell;
                double open = f.applyAsDouble(
                        clipped(fromInput(d, 1, j, row) + fromState(d, 1, j, h) + peephole(d, 1, j) * state));
                c[j] = state;
                next[j] = open * out.applyAsDouble(state);
            }
            return next;
        }
    }
}
