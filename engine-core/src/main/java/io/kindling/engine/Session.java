package io.kindling.engine;

import io.kindling.engine.ir.ValueInfo;
import io.kindling.engine.provider.Value;
import java.util.List;
import java.util.Map;

/** A planned graph on a device. Thread-safe: any number of bindings may run at once; weights are shared by all. */
public interface Session extends AutoCloseable {
    List<ValueInfo> inputs();

    List<ValueInfo> outputs();

    /**
     * Whether some operator quantises by the range of a whole tensor, as {@code DynamicQuantizeLinear} does: then what a row gives depends
     * on the rows it runs with.
     */
    boolean quantisesWholeTensors();

    /** A task's handle, with its own activations and persistent buffers. */
    DeviceBinding newBinding();

    /**
     * One pass with a binding of its own; the outputs belong to the caller.
     *
     * @throws io.kindling.engine.error.KindlingException SHAPE_OR_TYPE for a missing, unknown or ill-typed input
     */
    Map<String, Value> run(Map<String, Value> inputs);

    /** Bindings must be closed before. */
    @Override
    void close();
}
