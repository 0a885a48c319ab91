package io.kindling.engine.optimize;

import io.kindling.engine.ir.Node;
import java.util.Set;

/** What is known of operators without running them. */
final class Purity {
    private static final Set<String> DOMAINS = Set.of("", "com.microsoft", "ai.onnx.ml");
    private static final Set<String> RANDOM = Set.of(
            "RandomNormal",
            "RandomNormalLike",
            "RandomUniform",
            "RandomUniformLike",
            "Multinomial",
            "Bernoulli",
            "Dropout");

    private Purity() {}

    /** Whether nobody notices when the node does not run. Unknown domains may keep state, such as paged caches. */
    static boolean hasNoEffects(Node node) {
        return DOMAINS.contains(node.domain())
                && node.bodies().stream().flatMap(body -> body.nodes().stream()).allMatch(Purity::hasNoEffects);
    }

    /** Whether the outputs follow from the inputs and attributes alone; nodes with bodies are left aside. */
    static boolean isPure(Node node) {
        return hasNoEffects(node)
                && !RANDOM.contains(node.opType())
                && node.bodies().isEmpty();
    }
}
