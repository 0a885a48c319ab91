package io.kindling.engine.provider;

/** Makes the kernel of a node, or refuses with a typed error that says why. */
@FunctionalInterface
public interface KernelFactory {
    /** @throws io.kindling.engine.error.OperatorException when this node's attributes or constants are not supported */
    Kernel create(KernelRequest request);
}
