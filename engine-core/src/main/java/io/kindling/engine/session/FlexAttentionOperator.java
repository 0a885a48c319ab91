package io.kindling.engine.session;

import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.OperatorException;
import io.kindling.engine.ir.Attribute;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Graph;
import io.kindling.engine.ir.Node;
import io.kindling.engine.ir.TensorData;
import io.kindling.engine.ir.ValueInfo;
import io.kindling.engine.ir.ValueType;
import io.kindling.engine.provider.Tensor;
import io.kindling.engine.provider.Value;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * {@code ai.onnx.preview::FlexAttention}: attention whose scores and probabilities go through graphs of the node's own. What lies
 * between them is planned as graphs of standard operators, in float, or in double where Q is double, or as {@code
 * softmax_precision} says.
 */
final class FlexAttentionOperator implements ControlFlow {
    static final String DOMAIN = "ai.onnx.preview";
    private static final int SCORES = 0;
    private static final int SCORES_IN_DOUBLE = 1;
    private static final int SOFTMAX = 2;
    private static final int RESULT = 3;
    private static final int FIRST_MODIFIER = 4;

    private final GraphPlan[] bodies;
    private final boolean precisionGiven;
    private final boolean scoreModifier;
    private final boolean probabilityModifier;

    private FlexAttentionOperator(
            GraphPlan[] bodies, boolean precisionGiven, boolean scoreModifier, boolean probabilityModifier) {
        this.bodies = bodies;
        this.precisionGiven = precisionGiven;
        this.scoreModifier = scoreModifier;
        this.probabilityModifier = probabilityModifier;
    }

    static FlexAttentionOperator plan(Node node, Planner planner) {
        if (node.inputs().size() != 3 || node.outputs().size() != 1) {
            throw invalid(node.name(), "needs the inputs Q, K and V and has one output");
        }
        int given = (int) node.intAttribute("softmax_precision", 0);
        DataType precision = DataType.ofCode(given == 0 ? DataType.FLOAT.code() : given)
                .filter(DataType::isFloatingPoint)
                .orElseThrow(() -> invalid(node.name(), "softmax_precision " + given + " is no floating-point type"));
        Optional<Graph> scoreModifier = node.graphAttribute("score_mod");
        Optional<Graph> probabilityModifier = node.graphAttribute("prob_mod");
        GraphPlan[] bodies = new GraphPlan
                [FIRST_MODIFIER + (scoreModifier.isPresent() ? 1 : 0) + (probabilityModifier.isPresent() ? 1 : 0)];
        bodies[SCORES] = planner.planBody(scores(node, precision));
        bodies[SCORES_IN_DOUBLE] = planner.planBody(scores(node, DataType.DOUBLE));
        bodies[SOFTMAX] = planner.planBody(softmax());
        bodies[RESULT] = planner.planBody(result());
        scoreModifier.ifPresent(graph -> bodies[FIRST_MODIFIER] = modifier(node, graph, planner));
        probabilityModifier.ifPresent(graph -> bodies[bodies.length - 1] = modifier(node, graph, planner));
        return new FlexAttentionOperator(
                bodies, given != 0, scoreModifier.isPresent(), probabilityModifier.isPresent());
    }

    private static GraphPlan modifier(Node node, Graph graph, Planner planner) {
        if (graph.inputs().size() != 1 || graph.outputs().size() != 1) {
            throw invalid(node.name(), "a modifier needs one input and one output");
        }
        return planner.planBody(graph);
    }

    private static OperatorException invalid(String node, String problem) {
        return new OperatorException(ErrorCode.MODEL_INVALID, "FlexAttention", node, problem);
    }

    /** {@code Q · Kᵀ · scale}; each head of K serves a group of neighbouring heads of Q. */
    private static Graph scores(Node node, DataType precision) {
        Graph.Builder graph = graph("scores", "Q", "K");
        Map<String, Attribute> cast = Map.of("to", Attribute.of(precision.code()));
        add(graph, "Cast", List.of("Q"), "q", cast);
        repeatHeads(graph, "K", "repeated");
        add(graph, "Cast", List.of("repeated"), "k", cast);
        add(graph, "Transpose", List.of("k"), "transposed", Map.of("perm", Attribute.of(0L, 1L, 3L, 2L)));
        if (node.attribute("scale").isPresent()) {
            constant(graph, "raw scale", TensorData.ofFloats(new long[0], node.floatAttribute("scale", 1)));
        } else {
            size(graph, "Q", 3, "head size");
            add(graph, "Cast", List.of("head size"), "real size", Map.of("to", Attribute.of(DataType.FLOAT.code())));
            add(graph, "Sqrt", List.of("real size"), "root", Map.of());
            add(graph, "Reciprocal", List.of("root"), "raw scale", Map.of());
        }
        add(graph, "Cast", List.of("raw scale"), "scale", cast);
        add(graph, "Mul", List.of("q", "scale"), "scaled", Map.of());
        add(graph, "MatMul", List.of("scaled", "transposed"), "scores", Map.of());
        return finished(graph, "scores");
    }

    private static Graph softmax() {
        Graph.Builder graph = graph("softmax", "scores");
        add(graph, "Softmax", List.of("scores"), "probabilities", Map.of("axis", Attribute.of(3L)));
        return finished(graph, "probabilities");
    }

    private static Graph result() {
        Graph.Builder graph = graph("result", "probabilities", "V", "Q");
        repeatHeads(graph, "V", "repeated");
        add(graph, "CastLike", List.of("repeated", "probabilities"), "v", Map.of());
        add(graph, "MatMul", List.of("probabilities", "v"), "sum", Map.of());
        add(graph, "CastLike", List.of("sum", "Q"), "Y", Map.of());
        return finished(graph, "Y");
    }

    private static void repeatHeads(Graph.Builder graph, String value, String result) {
        // Q and the probabilities have as many heads.
        size(graph, graph.inputs().get(0).name(), 1, "heads");
        size(graph, value, 1, "own heads");
        constant(graph, "zero", TensorData.ofLongs(new long[0], 0));
        add(graph, "Div", List.of("heads", "own heads"), "group", Map.of());
        add(graph, "Range", List.of("zero", "heads", "one"), "all heads", Map.of());
        add(graph, "Div", List.of("all heads", "group"), "sources", Map.of());
        add(graph, "Gather", List.of(value, "sources"), result, Map.of("axis", Attribute.of(1L)));
    }

    /** The size of one axis, a scalar. */
    private static void size(Graph.Builder graph, String value, long axis, String result) {
        constant(graph, axis == 1 ? "one" : "axis " + axis, TensorData.ofLongs(new long[0], axis));
        add(graph, "Shape", List.of(value), result + " shape", Map.of());
        add(graph, "Gather", List.of(result + " shape", axis == 1 ? "one" : "axis " + axis), result, Map.of());
    }

    private static Graph.Builder graph(String name, String... inputs) {
        Graph.Builder graph = Graph.builder(name);
        for (String input : inputs) {
            graph.inputs().add(new ValueInfo(input, ValueType.UNKNOWN));
        }
        return graph;
    }

    private static void constant(Graph.Builder graph, String name, TensorData value) {
        graph.initializers().put(name, value);
    }

    private static void add(
            Graph.Builder graph, String opType, List<String> inputs, String output, Map<String, Attribute> attributes) {
        graph.nodes().add(new Node(output, "", opType, inputs, List.of(output), attributes));
    }

    private static Graph finished(Graph.Builder graph, String output) {
        graph.outputs().add(new ValueInfo(output, ValueType.UNKNOWN));
        return graph.build();
    }

    @Override
    public GraphPlan[] bodies() {
        return bodies;
    }

    @Override
    public void execute(Frame frame, PlannedNode node, int nodeIndex) {
        Value q = frame.value(node.inputs()[0]);
        boolean inDouble = !precisionGiven && q instanceof Tensor tensor && tensor.type() == DataType.DOUBLE;
        Value k = frame.value(node.inputs()[1]);
        Value v = frame.value(node.inputs()[2]);
        Value scores = run(frame, node, nodeIndex, inDouble ? SCORES_IN_DOUBLE : SCORES, q, k);
        if (scoreModifier) {
            scores = run(frame, node, nodeIndex, FIRST_MODIFIER, scores);
        }
        Value probabilities = run(frame, node, nodeIndex, SOFTMAX, scores);
        if (probabilityModifier) {
            probabilities = run(frame, node, nodeIndex, bodies.length - 1, probabilities);
        }
        run(frame, node, nodeIndex, RESULT, probabilities, v, q);
        frame.adopt(
                node.outputs()[0],
                frame.child(nodeIndex, node, RESULT),
                bodies[RESULT].outputIds()[0]);
    }

    /** The output of one of the bodies, in the storage of its frame. */
    private Value run(Frame frame, PlannedNode node, int nodeIndex, int body, Value... inputs) {
        Frame child = frame.child(nodeIndex, node, body);
        for (int k = 0; k < inputs.length; k++) {
            child.setInput(bodies[body].inputIds()[k], inputs[k]);
        }
        child.run();
        return child.value(bodies[body].outputIds()[0]);
    }
}
