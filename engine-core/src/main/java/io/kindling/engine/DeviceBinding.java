package io.kindling.engine;

import io.kindling.engine.provider.Tensor;
import io.kindling.engine.provider.Value;

/**
 * A task's handle on a session: its inputs, its outputs and the activations between. Inputs stay bound until replaced, so
 * a steady state binds nothing. One buffer may be bound as an input and an output at once. Not thread-safe.
 */
public interface DeviceBinding extends AutoCloseable {
    /** Binds a graph input by reference. */
    void bindInput(String name, Value value);

    /**
     * Makes runs write a graph output into this tensor's buffer. Element type must match and the window be large enough at
     * run time; after a run {@link #output} gives a tensor of the actual shape over the same buffer.
     */
    void bindOutput(String name, Tensor target);

    /** Ends {@link #bindOutput}. */
    void unbindOutput(String name);

    /** Runs the graph once. */
    void run();

    /** An output of the last run; valid until the next run or close. */
    Value output(String name);

    /** An output of the last run whose storage passes to the caller, who closes it; the next run takes new storage. */
    Tensor takeOutput(String name);

    /** Frees activations; bound buffers stay their owners'. */
    @Override
    void close();
}
