package io.kindling.engine.optimize.ragged;

import io.kindling.engine.ir.Node;
import io.kindling.engine.optimize.ragged.Fact.Scores;
import io.kindling.engine.optimize.ragged.Fact.Tokens;
import java.util.ArrayList;
import java.util.List;

/** Attention sinks that are written out: a column that takes part in Softmax and is left out of the product with the values. */
final class SinkRules {
    private SinkRules() {}

    /** One more column, from a value that every token has. */
    static boolean joins(Node node, Scores scores, List<Fact> inputs) {
        List<Size> column = List.of(Size.of(1), Size.of(scores.heads()), Size.FED, Size.of(1));
        return inputs.size() == 2
                && LayoutRules.axis(node.intAttribute("axis", 0), 4) == 3
                && inputs.get(1) instanceof Tokens sink
                && sink.axis() == 2
                && sink.dims().equals(column);
    }

    /** Whether a slice leaves out the last of four axes' last element. */
    static boolean cutsLast(List<Fact> inputs) {
        List<Long> bounds = new ArrayList<>();
        for (Fact input : inputs.subList(1, inputs.size())) {
            SizeRules.sizes(input)
                    .flatMap(SizeRules::constants)
                    .filter(values -> values.length == 1)
                    .ifPresent(values -> bounds.add(values[0]));
        }
        boolean stepless = bounds.size() == 3 || bounds.size() == 4 && bounds.get(3) == 1;
        return inputs.size() == bounds.size() + 1
                && stepless
                && bounds.get(0) == 0
                && bounds.get(1) == -1
                && LayoutRules.axis(bounds.get(2), 4) == 3;
    }
}
