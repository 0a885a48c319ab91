package io.kindling.engine.session;

import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.OperatorException;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Dimension;
import io.kindling.engine.ir.Graph;
import io.kindling.engine.ir.Half;
import io.kindling.engine.ir.Node;
import io.kindling.engine.ir.ValueInfo;
import io.kindling.engine.ir.ValueType;
import io.kindling.engine.provider.Tensor;
import io.kindling.engine.provider.Value;
import java.util.Arrays;
import java.util.List;

/**
 * The decoder that a search operator of {@code com.microsoft} has as attribute, in the form of GPT: inputs {@code input_ids},
 * {@code position_ids}, {@code attention_mask} and a past {@code [2, rows, heads, length, size]} a layer; outputs logits {@code [rows,
 * length, vocabulary]} and the presents. One object serves one run of the operator.
 */
final class SearchDecoder {
    private static final int FIRST_PAST = 3;

    private final Frame frame;
    private final Frame child;
    private final GraphPlan body;
    private final String operator;
    private final int rows;
    private final int[] positions;
    private int[][] masks;
    private Value[] pasts;

    /** @param prompts equally long, one a row; {@code masks} are 0 where a prompt is padded */
    SearchDecoder(Frame frame, PlannedNode node, int nodeIndex, int[][] prompts, int[][] masks) {
        this.frame = frame;
        this.masks = masks;
        child = frame.child(nodeIndex, node, 0);
        body = node.control().bodies()[0];
        operator = node.node().operator();
        rows = prompts.length;
        positions = new int[rows];
        pasts = new Value[body.inputIds().length - FIRST_PAST];
        for (int k = 0; k < pasts.length; k++) {
            pasts[k] = emptyPast(body.graph().inputs().get(FIRST_PAST + k));
        }
    }

    /** @throws OperatorException UNSUPPORTED for decoders of another form */
    static GraphPlan plan(Node node, Planner planner) {
        Graph decoder = node.graphAttribute("decoder")
                .orElseThrow(() -> new OperatorException(
                        ErrorCode.MODEL_INVALID, node.operator(), node.name(), "attribute decoder is missing"));
        int layers = decoder.inputs().size() - FIRST_PAST;
        if (node.intAttribute("model_type", 0) != 0
                || layers < 1
                || decoder.outputs().size() != layers + 1) {
            throw new OperatorException(
                    ErrorCode.UNSUPPORTED,
                    node.operator(),
                    node.name(),
                    "only decoders in the form of GPT (model_type 0, one past a layer) are run; export the model without the"
                            + " search and let generation do it");
        }
        return planner.planBody(decoder);
    }

    private Tensor emptyPast(ValueInfo port) {
        List<Dimension> shape =
                port.type() instanceof ValueType.TensorType type ? type.shape().orElse(List.of()) : List.of();
        if (shape.size() != 5
                || shape.get(2).sizeOrMinusOne() < 0
                || shape.get(4).sizeOrMinusOne() < 0) {
            throw invalid("past '" + port.name() + "' must be declared [2, batch, heads, length, size]");
        }
        DataType type = ((ValueType.TensorType) port.type()).elementType().orElse(DataType.FLOAT);
        return Tensor.allocateHost(
                type, 2, rows, shape.get(2).sizeOrMinusOne(), 0, shape.get(4).sizeOrMinusOne());
    }

    /** Runs new tokens of every row, equally many, and gives the logits behind the last one. */
    float[][] step(int[][] tokens) {
        int count = tokens[0].length;
        int total = masks[0].length;
        Tensor ids = Tensor.allocateHost(DataType.INT32, rows, count);
        Tensor places = Tensor.allocateHost(DataType.INT32, rows, count);
        Tensor mask = Tensor.allocateHost(DataType.INT32, rows, total);
        for (int row = 0; row < rows; row++) {
            mask.ints().put(row * total, masks[row]);
            ids.ints().put(row * count, tokens[row]);
            for (int k = 0; k < count; k++) {
                boolean padding = masks[row][total - count + k] == 0;
                places.ints().put(row * count + k, padding ? 0 : positions[row]++);
            }
        }
        int[] inputs = body.inputIds();
        child.setInput(inputs[0], ids);
        child.setInput(inputs[1], places);
        child.setInput(inputs[2], mask);
        for (int k = 0; k < pasts.length; k++) {
            child.setInput(inputs[FIRST_PAST + k], pasts[k]);
        }
        child.run();
        float[][] logits = lastRows((Tensor) child.value(body.outputIds()[0]), count);
        for (int k = 0; k < pasts.length; k++) {
            pasts[k] = Slabs.copy(frame.stream, child.value(body.outputIds()[k + 1]));
        }
        for (int row = 0; row < rows; row++) {
            masks[row] = Arrays.copyOf(masks[row], total + 1);
            masks[row][total] = 1;
        }
        return logits;
    }

    private float[][] lastRows(Tensor logits, int count) {
        boolean half = logits.type() == DataType.FLOAT16;
        if (logits.rank() != 3 || logits.dim(0) != rows || !half && logits.type() != DataType.FLOAT) {
            throw invalid("the decoder's logits are " + logits);
        }
        int vocabulary = (int) logits.dim(2);
        Tensor host = HostScalars.onHost(frame, logits);
        float[][] last = new float[rows][vocabulary];
        for (int row = 0; row < rows; row++) {
            int from = (row * count + count - 1) * vocabulary;
            for (int k = 0; k < vocabulary; k++) {
                last[row][k] = half
                        ? Half.toFloat(host.shorts().get(from + k))
                        : host.floats().get(from + k);
            }
        }
        return last;
    }

    /** Lets row {@code k} continue what row {@code sources[k]} has seen. */
    void reorder(int[] sources) {
        int[] oldPositions = positions.clone();
        int[][] oldMasks = masks.clone();
        masks = new int[rows][];
        for (int row = 0; row < rows; row++) {
            positions[row] = oldPositions[sources[row]];
            masks[row] = oldMasks[sources[row]].clone();
        }
        for (int k = 0; k < pasts.length; k++) {
            Tensor past = (Tensor) pasts[k];
            Tensor moved = Tensor.allocateHost(past.type(), past.shape());
            long bytes = past.byteSize() / (2L * rows);
            for (int part = 0; part < 2; part++) {
                for (int row = 0; row < rows; row++) {
                    long from = past.byteOffset() + (part * rows + sources[row]) * bytes;
                    frame.stream.copy(past.buffer(), from, moved.buffer(), (part * rows + row) * bytes, bytes);
                }
            }
            pasts[k] = moved;
        }
    }

    private OperatorException invalid(String problem) {
        return new OperatorException(ErrorCode.SHAPE_OR_TYPE, operator, "", problem);
    }
}
