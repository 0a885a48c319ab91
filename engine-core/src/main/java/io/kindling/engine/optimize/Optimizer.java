package io.kindling.engine.optimize;

import io.kindling.engine.error.OptionException;
import io.kindling.engine.ir.Graph;
import io.kindling.engine.ir.OnnxModel;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** Runs passes one after the other until none changes the graph. */
public final class Optimizer {
    private static final int MAX_ROUNDS = 8;
    private static final String FUSED_DOMAIN = "com.microsoft";

    private final List<GraphPass> passes;

    private Optimizer(List<GraphPass> passes) {
        this.passes = List.copyOf(passes);
    }

    /** With passes of the caller's choice, in this order. */
    public static Optimizer of(List<GraphPass> passes) {
        return new Optimizer(passes);
    }

    /**
     * The passes that suit every provider.
     *
     * @param evaluator folds constants
     * @param disabled names of passes to leave out
     * @throws OptionException when a name is not one of {@link #standardPasses()}
     */
    public static Optimizer standard(ConstantEvaluator evaluator, Set<String> disabled) {
        requireKnown(disabled);
        return new Optimizer(passes(evaluator).stream()
                .filter(pass -> !disabled.contains(pass.name()))
                .toList());
    }

    /** @throws OptionException when a name is not one of {@link #standardPasses()} */
    public static void requireKnown(Set<String> passNames) {
        Set<String> unknown = new TreeSet<>(passNames);
        unknown.removeAll(standardPasses());
        if (!unknown.isEmpty()) {
            throw new OptionException("no optimiser pass is named " + unknown + "; there are " + standardPasses());
        }
    }

    /** Names of the passes that suit every provider, in the order they run. */
    public static List<String> standardPasses() {
        return passes((node, inputs) -> Optional.empty()).stream()
                .map(GraphPass::name)
                .toList();
    }

    private static List<GraphPass> passes(ConstantEvaluator evaluator) {
        return List.of(
                new ConstantNodes(),
                new NoOpElimination(),
                new ExpandElimination(),
                new IdentityElimination(),
                new ConstantFolding(evaluator),
                new ShapeFolding(),
                new CommonSubexpressions(),
                new DeadCode(),
                new TransposeFusion(),
                new AttentionFusion(),
                new GeluFusion(),
                new SiluFusion(),
                new HardSwishFusion(),
                new ConvFolding(),
                new ConvFusion(),
                new LayerNormFusion(),
                new RmsNormFusion(),
                new SkipNormFusion(),
                new GemmFusion(),
                new IntegerGemmFusion());
    }

    /** Imports the domain of fused operators where the model, which then uses none of its operators, does not. */
    public OnnxModel optimize(OnnxModel model) {
        Graph optimized = optimize(model.graph());
        OnnxModel result = model.withGraph(optimized);
        boolean imports = model.opset(FUSED_DOMAIN).isPresent() || usesFused(model.graph());
        return imports || !usesFused(optimized) ? result : result.withOpset(FUSED_DOMAIN, 1);
    }

    private static boolean usesFused(Graph graph) {
        return graph.nodes().stream()
                .anyMatch(node -> node.domain().equals(FUSED_DOMAIN)
                        || node.bodies().stream().anyMatch(Optimizer::usesFused));
    }

    public Graph optimize(Graph graph) {
        GraphIndex index = GraphIndex.of(graph);
        for (int round = 0; round < MAX_ROUNDS; round++) {
            Graph before = graph;
            for (GraphPass pass : passes) {
                Graph after = pass instanceof IndexedPass indexed ? indexed.apply(graph, index) : pass.apply(graph);
                index = after == graph ? index : GraphIndex.of(after);
                graph = after;
            }
            if (graph == before) {
                break;
            }
        }
        return graph;
    }
}
