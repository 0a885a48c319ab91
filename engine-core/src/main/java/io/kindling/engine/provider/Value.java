package io.kindling.engine.provider;

import java.util.List;
import java.util.Optional;

/** What flows along an edge of a graph at run time. */
public sealed interface Value permits Tensor, Value.Sequence, Value.Opt {
    /** An ONNX sequence. */
    record Sequence(List<Value> elements) implements Value {
        public Sequence {
            elements = List.copyOf(elements);
        }
    }

    /** An ONNX optional. */
    record Opt(Optional<Value> content) implements Value {}
}
