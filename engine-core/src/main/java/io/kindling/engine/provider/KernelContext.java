package io.kindling.engine.provider;

import io.kindling.engine.ir.DataType;

/** What a kernel sees of one execution of its node. */
public interface KernelContext {
    /** Number of inputs the node lists, absent ones included. */
    int inputCount();

    /** Whether input {@code index} is listed and not the empty name. */
    boolean hasInput(int index);

    /** A tensor input. */
    Tensor input(int index);

    /** Any input: sequence and optional inputs too. */
    Value inputValue(int index);

    int outputCount();

    boolean hasOutput(int index);

    /**
     * Makes output {@code index} and returns it for writing; contents undefined. Bound outputs are checked here for type and
     * capacity. The shape is copied.
     */
    Tensor output(int index, DataType type, long... shape);

    /** Makes output {@code index} another view of the input that {@link Kernel#aliasOf} names. */
    Tensor view(int index, long... shape);

    /** Sets a string tensor output. */
    void outputStrings(int index, String[] values, long... shape);

    /** Sets a sequence or optional output; tensors inside must own their storage. */
    void outputValue(int index, Value value);

    /**
     * How many bodies of control flow have begun in this run of the outermost graph: what random operators count, so that a
     * loop does not draw the same numbers in every iteration.
     */
    long bodyRuns();

    /** Scratch memory of this binding, at least {@code byteSize} bytes, valid until the kernel returns; slots 0 to 3. */
    DeviceBuffer scratch(int slot, long byteSize);

    DeviceStream stream();
}
