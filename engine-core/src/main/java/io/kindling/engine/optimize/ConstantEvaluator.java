package io.kindling.engine.optimize;

import io.kindling.engine.ir.Node;
import io.kindling.engine.ir.TensorData;
import java.util.List;
import java.util.Optional;

/** Computes a node whose inputs are all constants; given by whoever has kernels. */
@FunctionalInterface
public interface ConstantEvaluator {
    /**
     * @param inputs one for each input of the node; null where the optional input is absent
     * @return one for each output of the node, or empty when it cannot be computed here
     */
    Optional<List<TensorData>> evaluate(Node node, List<TensorData> inputs);
}
