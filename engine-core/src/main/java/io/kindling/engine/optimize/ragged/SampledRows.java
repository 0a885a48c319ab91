package io.kindling.engine.optimize.ragged;

import io.kindling.engine.ir.Attribute;
import io.kindling.engine.ir.Node;
import io.kindling.engine.ir.PagedAttention;
import io.kindling.engine.optimize.ragged.Fact.Fixed;
import io.kindling.engine.optimize.ragged.Fact.Tokens;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Lets the last products run on those tokens alone whose logits are wanted. */
final class SampledRows {
    private SampledRows() {}

    /**
     * Puts the choice of rows before the longest chain of nodes that ends in the logits and has the tokens as its only
     * variable input.
     */
    static void pick(List<Node> nodes, Map<String, Fact> facts, String logits) {
        Map<String, Integer> producers = new HashMap<>();
        Map<String, Integer> uses = new HashMap<>();
        for (int k = 0; k < nodes.size(); k++) {
            for (String output : nodes.get(k).outputs()) {
                producers.put(output, k);
            }
            new HashSet<>(nodes.get(k).inputs()).forEach(input -> uses.merge(input, 1, Integer::sum));
        }
        int first = -1;
        String value = logits;
        while (producers.containsKey(value)) {
            Node node = nodes.get(producers.get(value));
            Optional<String> before = onlyTokens(node, facts);
            if (before.isEmpty() || uses.getOrDefault(value, 0) > (value.equals(logits) ? 0 : 1)) {
                break;
            }
            first = producers.get(value);
            value = before.get();
        }
        if (first < 0) {
            throw new Refusal("the node that makes the logits cannot run on chosen tokens alone");
        }
        String picked = value + "/kindling.sampled";
        String source = value;
        Node reader = nodes.get(first);
        nodes.set(
                first,
                reader.withInputs(reader.inputs().stream()
                        .map(input -> input.equals(source) ? picked : input)
                        .toList()));
        nodes.add(
                first,
                new Node(
                        "kindling.sample_rows",
                        "",
                        "Gather",
                        List.of(source, RaggedModel.SAMPLE_ROWS),
                        List.of(picked),
                        Map.of("axis", Attribute.of(1L))));
    }

    /** The node's one input made of tokens, when it has rows on axis 1 and all others are constants. */
    private static Optional<String> onlyTokens(Node node, Map<String, Fact> facts) {
        String found = null;
        if (node.domain().equals(PagedAttention.DOMAIN) || node.outputs().size() != 1) {
            return Optional.empty();
        }
        for (String input : node.inputs()) {
            if (input.isEmpty() || facts.get(input) instanceof Fixed) {
                continue;
            }
            boolean rows = facts.get(input) instanceof Tokens tokens && tokens.axis() == 1 && tokens.perToken() == 1;
            if (!rows || found != null) {
                return Optional.empty();
            }
            found = input;
        }
        return Optional.ofNullable(found)
                .filter(name -> facts.get(name) instanceof Tokens tokens && tokens.rank() == 3);
    }
}
