package io.kindling.engine.provider;

import io.kindling.engine.ir.Node;
import java.util.Optional;

/**
 * What a factory knows when it makes a kernel.
 */
public interface KernelRequest {
    Node node();

    /** Version of the node's domain that the model imports. */
    long opset();

    /** The value of an input that is an initializer or a folded constant, on the device. */
    Optional<Tensor> constant(int input);

    Precision precision();

    /** Whether products of float32 may round their operands to 16 bits of significand, where the device is faster for it. */
    boolean roundedFloats();

    /** Weights of the model and their prepacked forms, shared by all sessions and bindings of the model. */
    WeightStore weights();

    /** Seed for random operators that have no seed attribute of their own. */
    long seed();
}
