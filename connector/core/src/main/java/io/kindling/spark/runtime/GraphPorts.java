package io.kindling.spark.runtime;

import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import io.kindling.engine.ir.ValueInfo;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;

/** The inputs and outputs of a graph, as its file declares them. */
public record GraphPorts(List<ValueInfo> inputs, List<ValueInfo> outputs) {

    /** @throws KindlingException NOT_FOUND and others where the driver cannot read the model's graph */
    public static GraphPorts of(String uri, Configuration configuration) {
        var graph = ModelHeader.read(uri, configuration).graph().graph();
        return new GraphPorts(graph.inputs(), graph.outputs());
    }

    /** The same; empty for a model that only executors see. */
    public static Optional<GraphPorts> find(String uri, Configuration configuration) {
        try {
            return Optional.of(of(uri, configuration));
        } catch (KindlingException fault) {
            if (fault.code() == ErrorCode.NOT_FOUND || fault.code() == ErrorCode.IO) {
                return Optional.empty();
            }
            throw fault;
        }
    }

    /** @throws KindlingException SHAPE_OR_TYPE when there is none of that name */
    public static ValueInfo named(List<ValueInfo> ports, String name) {
        return ports.stream()
                .filter(port -> port.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new KindlingException(
                        ErrorCode.SHAPE_OR_TYPE,
                        "the graph has no port '" + name + "' there; it has "
                                + ports.stream().map(ValueInfo::name).toList()));
    }

    /** @throws KindlingException SHAPE_OR_TYPE unless the names are those of all inputs */
    public void requireInputs(List<String> names) {
        names.forEach(name -> named(inputs, name));
        for (ValueInfo input : inputs) {
            if (!names.contains(input.name())) {
                throw new KindlingException(
                        ErrorCode.SHAPE_OR_TYPE,
                        "the graph's input '" + input.name() + "' has no column; add one: input(\"" + input.name()
                                + "\", column), in SQL a field of the struct");
            }
        }
    }
}
