package io.kindling.engine.provider;

import java.util.List;
import java.util.Optional;

/** What flows along an edge of a graph at run time. */
public sealed interface Value permits Tensor, Value.Sequence, Value.Opt, Value.Map {
    /** An ONNX sequence. */
    record Sequence(List<Value> elements) implements Value {
        public Sequence {
            elements = List.copyOf(elements);
        }
    }

    /** An ONNX optional. */
    record Opt(Optional<Value> content) implements Value {}

    /**
     * An ONNX map: value {@code k} belongs to key {@code k}.
     *
     * @param keys strings or integers, {@code [size]}
     * @param values {@code [size]}
     */
    record Map(Tensor keys, Tensor values) implements Value {}
}
