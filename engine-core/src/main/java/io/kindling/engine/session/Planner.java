package io.kindling.engine.session;

import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import io.kindling.engine.error.ModelException;
import io.kindling.engine.error.OperatorException;
import io.kindling.engine.ir.Graph;
import io.kindling.engine.ir.Node;
import io.kindling.engine.ir.OnnxModel;
import io.kindling.engine.ir.TensorData;
import io.kindling.engine.ir.ValueInfo;
import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.KernelFactory;
import io.kindling.engine.provider.KernelRequest;
import io.kindling.engine.provider.Precision;
import io.kindling.engine.provider.Tensor;
import io.kindling.engine.provider.WeightStore;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/** Turns a graph into a {@link GraphPlan}: numbers values, chooses kernels, plans subgraphs and storage. */
final class Planner {
    /** Domain of the engine's own operators, which no model file imports. */
    static final String INTERNAL_DOMAIN = "kindling";

    private final OnnxModel model;
    private final ModelWeights weights;
    private final SessionOptions options;
    private final Planner outer;

    private final Graph graph;
    private final Map<String, Integer> ids = new HashMap<>();
    private final List<Tensor> constants = new ArrayList<>();
    private final List<GraphPlan.Capture> captures = new ArrayList<>();

    private Planner(OnnxModel model, Graph graph, ModelWeights weights, SessionOptions options, Planner outer) {
        this.model = model;
        this.graph = graph;
        this.weights = weights;
        this.options = options;
        this.outer = outer;
    }

    /**
     * @throws OperatorException UNSUPPORTED, listing every operator without a kernel, or whatever a factory refuses
     */
    static GraphPlan plan(OnnxModel model, ModelWeights weights, SessionOptions options) {
        refuseUnknownOperators(model, weights);
        return new Planner(model, model.graph(), weights, options, null).build();
    }

    GraphPlan planBody(Graph body) {
        return new Planner(model, body, weights, options, this).build();
    }

    private GraphPlan build() {
        int[] inputIds = new int[graph.inputs().size()];
        for (int k = 0; k < inputIds.length; k++) {
            inputIds[k] = define(graph.inputs().get(k).name(), null);
        }
        for (Map.Entry<String, TensorData> initializer : graph.initializers().entrySet()) {
            define(initializer.getKey(), weights.place(initializer.getValue()));
        }
        List<PlannedNode> nodes = new ArrayList<>(graph.nodes().size());
        try {
            for (Node node : graph.nodes()) {
                nodes.add(planNode(node));
            }
        } catch (RuntimeException | Error fault) {
            nodes.stream().filter(n -> n.kernel() != null).forEach(n -> n.kernel()
                    .close());
            throw fault;
        }
        int[] outputIds = graph.outputs().stream()
                .map(ValueInfo::name)
                .mapToInt(this::resolve)
                .toArray();
        PlannedNode[] array = nodes.toArray(PlannedNode[]::new);
        int[] slots = SlotPlanner.plan(constants.size(), array, outputIds);
        int slotCount = Arrays.stream(slots).max().orElse(-1) + 1;
        int[] owners = new int[slotCount];
        for (int id : outputIds) {
            if (slots[id] >= 0) {
                owners[slots[id]]++;
            }
        }
        return new GraphPlan(
                graph,
                array,
                constants.size(),
                slotCount,
                constants.toArray(Tensor[]::new),
                slots,
                owners,
                inputIds,
                outputIds,
                captures.toArray(GraphPlan.Capture[]::new),
                Map.copyOf(ids));
    }

    private PlannedNode planNode(Node node) {
        int[] inputs = new int[node.inputs().size()];
        for (int k = 0; k < inputs.length; k++) {
            String name = node.inputs().get(k);
            inputs[k] = name.isEmpty() ? -1 : resolve(name);
        }
        ControlFlow control = ControlFlows.plan(node, opset(model, node), this);
        Kernel kernel = control == null ? createKernel(node, inputs) : null;
        int[] outputs = new int[node.outputs().size()];
        int[] aliases = new int[outputs.length];
        for (int k = 0; k < outputs.length; k++) {
            String name = node.outputs().get(k);
            outputs[k] = name.isEmpty() ? -1 : define(name, null);
            aliases[k] = kernel == null ? -1 : kernel.aliasOf(k);
        }
        return new PlannedNode(node, kernel, control, inputs, outputs, aliases);
    }

    private int define(String name, Tensor constant) {
        int id = constants.size();
        constants.add(constant);
        if (ids.put(name, id) != null) {
            throw new ModelException(
                    ErrorCode.MODEL_INVALID, model.source(), "value '" + name + "'", "is defined twice in one graph");
        }
        return id;
    }

    /** The id of a value, captured from an enclosing graph where this one does not define it. */
    private int resolve(String name) {
        Integer id = ids.get(name);
        if (id != null) {
            return id;
        }
        if (outer == null) {
            throw new ModelException(
                    ErrorCode.MODEL_INVALID,
                    model.source(),
                    "value '" + name + "'",
                    "is read but no node, input or initializer of its graph or of an enclosing one defines it");
        }
        int outerId = outer.resolve(name);
        Tensor constant = outer.constants.get(outerId);
        int innerId = define(name, constant);
        if (constant == null) {
            captures.add(new GraphPlan.Capture(outerId, innerId));
        }
        return innerId;
    }

    private Kernel createKernel(Node node, int[] inputs) {
        long opset = opset(model, node);
        KernelFactory factory = weights.provider()
                .kernels()
                .find(node.domain(), node.opType(), opset)
                .orElseThrow(() -> new OperatorException(
                        ErrorCode.UNSUPPORTED,
                        node.operator(),
                        node.name(),
                        "no kernel for opset " + opset + " on "
                                + weights.provider().name()));
        try {
            return factory.create(new Request(node, opset, inputs));
        } catch (KindlingException fault) {
            throw fault;
        } catch (RuntimeException fault) {
            throw new OperatorException(
                    ErrorCode.MODEL_INVALID, node.operator(), node.name(), "cannot be planned: " + fault, fault);
        }
    }

    private static long opset(OnnxModel model, Node node) {
        if (node.domain().equals(INTERNAL_DOMAIN)) {
            return 1;
        }
        return model.opset(node.domain())
                .orElseThrow(() -> new ModelException(
                        ErrorCode.MODEL_INVALID,
                        model.source(),
                        "node '" + node.name() + "'",
                        "uses domain '" + node.domain() + "', which opset_import does not list"));
    }

    private static void refuseUnknownOperators(OnnxModel model, ModelWeights weights) {
        TreeSet<String> unknown = new TreeSet<>();
        collectUnknown(model, model.graph(), weights, unknown);
        if (!unknown.isEmpty()) {
            throw new ModelException(
                    ErrorCode.UNSUPPORTED,
                    model.source(),
                    "",
                    "no kernel on " + weights.provider().name() + " for " + String.join(", ", unknown));
        }
    }

    private static void collectUnknown(OnnxModel model, Graph graph, ModelWeights weights, TreeSet<String> unknown) {
        for (Node node : graph.nodes()) {
            long opset = opset(model, node);
            boolean known = ControlFlows.handles(node)
                    || weights.provider()
                            .kernels()
                            .find(node.domain(), node.opType(), opset)
                            .isPresent();
            if (!known) {
                unknown.add(node.operator() + " (opset " + opset + ")");
            }
            for (Graph body : node.bodies()) {
                collectUnknown(model, body, weights, unknown);
            }
        }
    }

    private final class Request implements KernelRequest {
        private final Node node;
        private final long opset;
        private final int[] inputs;

        private Request(Node node, long opset, int[] inputs) {
            this.node = node;
            this.opset = opset;
            this.inputs = inputs;
        }

        @Override
        public Node node() {
            return node;
        }

        @Override
        public long opset() {
            return opset;
        }

        @Override
        public Optional<Tensor> constant(int input) {
            return input < inputs.length && inputs[input] >= 0
                    ? Optional.ofNullable(constants.get(inputs[input]))
                    : Optional.empty();
        }

        @Override
        public Precision precision() {
            return options.precision();
        }

        @Override
        public boolean roundedFloats() {
            return options.roundedFloats();
        }

        @Override
        public WeightStore weights() {
            return weights;
        }

        @Override
        public long seed() {
            return options.seed();
        }
    }
}
