package io.kindling.engine.session;

import io.kindling.engine.ir.Node;

/** The operators that run subgraphs. */
final class ControlFlows {
    private ControlFlows() {}

    static boolean handles(Node node) {
        return node.is(FlexAttentionOperator.DOMAIN, "FlexAttention")
                || node.is("com.microsoft", "GreedySearch")
                || node.is("com.microsoft", "BeamSearch")
                || node.domain().isEmpty()
                        && switch (node.opType()) {
                            case "If", "Loop", "Scan", "SequenceMap" -> true;
                            default -> false;
                        };
    }

    /** Plans a control-flow node; null when it is none. */
    static ControlFlow plan(Node node, long opset, Planner planner) {
        if (node.is(FlexAttentionOperator.DOMAIN, "FlexAttention")) {
            return FlexAttentionOperator.plan(node, planner);
        }
        if (node.is("com.microsoft", "GreedySearch")) {
            return GreedySearchOperator.plan(node, planner);
        }
        if (node.is("com.microsoft", "BeamSearch")) {
            return BeamSearchOperator.plan(node, planner);
        }
        if (!node.domain().isEmpty()) {
            return null;
        }
        return switch (node.opType()) {
            case "If" -> IfOperator.plan(node, planner);
            case "Loop" -> LoopOperator.plan(node, planner);
            case "Scan" -> opset < 9 ? BatchedScanOperator.plan(node, planner) : ScanOperator.plan(node, planner);
            case "SequenceMap" -> SequenceMapOperator.plan(node, planner);
            default -> null;
        };
    }
}
