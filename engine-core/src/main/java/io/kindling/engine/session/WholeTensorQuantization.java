package io.kindling.engine.session;

import java.util.Arrays;
import java.util.Set;

/** Which operators quantise by the range of a whole tensor, its batch included. */
final class WholeTensorQuantization {
    private static final Set<String> OPERATORS = Set.of(
            "DynamicQuantizeLinear", "com.microsoft::DynamicQuantizeMatMul", "com.microsoft::DynamicQuantizeLSTM");

    private WholeTensorQuantization() {}

    /** Whether a plan, or a body in it, has such an operator. */
    static boolean isIn(GraphPlan plan) {
        return Arrays.stream(plan.nodes()).anyMatch(WholeTensorQuantization::isIn);
    }

    private static boolean isIn(PlannedNode node) {
        return node.control() == null
                ? OPERATORS.contains(node.node().operator())
                : Arrays.stream(node.control().bodies()).anyMatch(WholeTensorQuantization::isIn);
    }
}
