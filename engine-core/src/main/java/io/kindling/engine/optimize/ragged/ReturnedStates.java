package io.kindling.engine.optimize.ragged;

import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Graph;
import io.kindling.engine.ir.Node;
import io.kindling.engine.ir.ValueType;
import io.kindling.engine.metadata.DecoderIo;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Which values go out as a state: the output itself, and what is only copied or cast to its own type on the way there. */
final class ReturnedStates {
    private ReturnedStates() {}

    static Set<String> of(Graph graph, DecoderIo.State state) {
        Optional<DataType> type = graph.inputs().stream()
                .filter(input -> input.name().equals(state.input()))
                .findFirst()
                .flatMap(input ->
                        input.type() instanceof ValueType.TensorType tensor ? tensor.elementType() : Optional.empty());
        Set<String> names = new HashSet<>(Set.of(state.output()));
        List<Node> backwards = new ArrayList<>(graph.nodes());
        Collections.reverse(backwards);
        for (Node node : backwards) {
            boolean copies = node.is("", "Identity")
                    || node.is("", "Cast")
                            && type.filter(own -> own.code() == node.intAttribute("to", 0))
                                    .isPresent();
            if (copies && names.contains(node.outputs().get(0))) {
                names.add(node.inputs().get(0));
            }
        }
        return names;
    }
}
