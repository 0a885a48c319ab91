package io.kindling.engine.session;

import io.kindling.engine.ir.Node;
import io.kindling.engine.provider.Kernel;

/**
 * A node ready to run.
 *
 * @param kernel what runs it; null for control flow
 * @param control what runs it instead; null for kernels
 * @param inputs value ids, −1 where absent
 * @param outputs value ids, −1 where absent
 * @param aliases for each output the input whose storage it shares, or −1
 */
record PlannedNode(Node node, Kernel kernel, ControlFlow control, int[] inputs, int[] outputs, int[] aliases)
        implements AutoCloseable {

    @Override
    public void close() {
        if (kernel != null) {
            kernel.close();
        } else {
            for (GraphPlan body : control.bodies()) {
                body.close();
            }
        }
    }
}
