package io.kindling.engine.session;

import io.kindling.engine.ir.Graph;
import io.kindling.engine.provider.Tensor;
import java.util.Map;

/**
 * A graph with every value numbered, every node given its kernel, and every node output given a storage slot. Immutable
 * and shared by all bindings.
 *
 * @param constants by value id; null where the value is not constant
 * @param slots storage slot by value id; −1 for inputs, constants, captures and their aliases
 * @param slotOwners number of graph outputs that live in each slot
 * @param captures values of the enclosing graph that this one reads
 * @param ids value id by name
 */
record GraphPlan(
        Graph graph,
        PlannedNode[] nodes,
        int valueCount,
        int slotCount,
        Tensor[] constants,
        int[] slots,
        int[] slotOwners,
        int[] inputIds,
        int[] outputIds,
        Capture[] captures,
        Map<String, Integer> ids)
        implements AutoCloseable {

    /** A value of the enclosing graph under its id there and here. */
    record Capture(int outerId, int innerId) {}

    @Override
    public void close() {
        for (PlannedNode node : nodes) {
            node.close();
        }
    }
}
