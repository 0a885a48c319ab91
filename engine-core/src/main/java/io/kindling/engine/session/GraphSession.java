package io.kindling.engine.session;

import io.kindling.engine.Session;
import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import io.kindling.engine.ir.OnnxModel;
import io.kindling.engine.ir.ValueInfo;
import io.kindling.engine.provider.Provider;
import io.kindling.engine.provider.Tensor;
import io.kindling.engine.provider.Value;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A planned graph; see {@link Session}. */
public final class GraphSession implements Session {
    private final ModelWeights weights;
    private final boolean ownsWeights;
    private final GraphPlan plan;

    private GraphSession(ModelWeights weights, boolean ownsWeights, GraphPlan plan) {
        this.weights = weights;
        this.ownsWeights = ownsWeights;
        this.plan = plan;
    }

    /** Plans a graph with weights of its own. */
    public static GraphSession create(OnnxModel model, Provider provider, SessionOptions options) {
        ModelWeights weights = new ModelWeights(provider);
        try {
            return new GraphSession(weights, true, Planner.plan(model, weights, options));
        } catch (RuntimeException | Error fault) {
            weights.close();
            throw fault;
        }
    }

    /** Plans another graph of a model whose weights are placed already; the weights must outlive the session. */
    public static GraphSession create(OnnxModel model, ModelWeights weights, SessionOptions options) {
        return new GraphSession(weights, false, Planner.plan(model, weights, options));
    }

    @Override
    public List<ValueInfo> inputs() {
        return plan.graph().inputs();
    }

    @Override
    public List<ValueInfo> outputs() {
        return plan.graph().outputs();
    }

    @Override
    public boolean quantisesWholeTensors() {
        return WholeTensorQuantization.isIn(plan);
    }

    public ModelWeights weights() {
        return weights;
    }

    /** Kernel variants by node name, for inspect and tests. */
    public Map<String, String> kernelVariants() {
        Map<String, String> variants = new TreeMap<>();
        collectVariants(plan, variants);
        return variants;
    }

    private static void collectVariants(GraphPlan plan, Map<String, String> variants) {
        for (PlannedNode node : plan.nodes()) {
            if (node.control() == null) {
                variants.put(node.node().name(), node.kernel().variant());
            } else {
                for (GraphPlan body : node.control().bodies()) {
                    collectVariants(body, variants);
                }
            }
        }
    }

    @Override
    public GraphBinding newBinding() {
        return new GraphBinding(plan, weights.provider());
    }

    @Override
    public Map<String, Value> run(Map<String, Value> inputs) {
        try (GraphBinding binding = newBinding()) {
            inputs.forEach(binding::bindInput);
            binding.run();
            Map<String, Value> outputs = new LinkedHashMap<>();
            for (ValueInfo output : outputs()) {
                Value value = binding.output(output.name());
                outputs.put(output.name(), value instanceof Tensor ? binding.takeOutput(output.name()) : value);
            }
            return outputs;
        }
    }

    @Override
    public void close() {
        plan.close();
        if (ownsWeights) {
            weights.close();
        }
    }

    static KindlingException unknownPort(String kind, String name, List<ValueInfo> ports) {
        return new KindlingException(
                ErrorCode.SHAPE_OR_TYPE,
                "device " + kind + " not found: '" + name + "'; the graph has "
                        + ports.stream().map(ValueInfo::name).toList());
    }
}
