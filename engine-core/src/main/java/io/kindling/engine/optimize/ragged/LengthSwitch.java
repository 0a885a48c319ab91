package io.kindling.engine.optimize.ragged;

import io.kindling.engine.ir.Attribute;
import io.kindling.engine.ir.Graph;
import io.kindling.engine.ir.Node;
import io.kindling.engine.ir.TensorData;
import io.kindling.engine.optimize.ragged.Fact.ByLength;
import io.kindling.engine.optimize.ragged.Fact.Indexed;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.LongStream;

/**
 * Follows an {@code If} that picks rotary tables by the length of the sequence, as models with long contexts do. A packed
 * run has sequences on both sides of the limit, so that each token takes its row from the table of its own sequence.
 */
final class LengthSwitch {
    private static final String FIRST = "kindling.first_row";
    private static final String COLUMN = "kindling.column";
    private static final String NO_ROW = "kindling.row_zero";
    private static final String LIMIT = "kindling.length_limit";
    private static final String IS_BELOW = "kindling.is_below_limit";

    private final Graph graph;
    private final Map<String, TensorData> added;
    private final Map<String, String> rows = new HashMap<>();
    private long limit = -1;

    /** @param added takes the constants of the branches */
    LengthSwitch(Graph graph, Map<String, TensorData> added) {
        this.graph = graph;
        this.added = added;
    }

    static boolean matches(Node node) {
        return node.is("", "If");
    }

    /** The length from which a sequence counts as long; empty where nothing depends on it. */
    OptionalLong limit() {
        return limit < 0 ? OptionalLong.empty() : OptionalLong.of(limit);
    }

    /** What the outputs are. */
    List<Fact> follow(Node node, Fact condition) {
        boolean byLength = condition instanceof Indexed test
                && test.dims().stream().allMatch(size -> size.is(1))
                && test.element() instanceof Element.Choice;
        if (!byLength) {
            throw Refusal.at(node, "has a condition that is no comparison of the sequence's length");
        }
        Element.Choice choice = (Element.Choice) ((Indexed) condition).element();
        Form test = choice.atLeastZero();
        boolean truth = choice.yes().equals(Element.TRUE) && choice.no().equals(Element.FALSE)
                || choice.yes().equals(Element.FALSE) && choice.no().equals(Element.TRUE);
        if (!truth
                || test.fed() != 0
                || Math.abs(test.total()) != 1
                || !test.axes().isEmpty()) {
            throw Refusal.at(node, "has a condition that is no comparison of the sequence's length");
        }
        // L + c ≥ 0 holds from −c on, c − L ≥ 0 fails from c + 1 on.
        long from = (long) (test.total() == 1 ? -test.constant() : test.constant() + 1);
        boolean thenFromLimit = choice.yes().equals(Element.TRUE) == (test.total() == 1);
        List<Fact> outputs = new ArrayList<>();
        for (int k = 0; k < node.outputs().size(); k++) {
            String atLeast = constant(node, thenFromLimit ? "then_branch" : "else_branch", k);
            String below = constant(node, thenFromLimit ? "else_branch" : "then_branch", k);
            outputs.add(new ByLength(from, atLeast, below, shape(atLeast), shape(below)));
        }
        return outputs;
    }

    private List<Long> shape(String constant) {
        return LongStream.of(added.get(constant).shape()).boxed().toList();
    }

    /** The name under which a branch's output stands among the constants. */
    private String constant(Node node, String branch, int output) {
        if (!(node.attributes().get(branch) instanceof Attribute.GraphValue body)) {
            throw Refusal.at(node, "has no " + branch);
        }
        String value = body.graph().outputs().get(output).name();
        for (int k = body.graph().nodes().size() - 1; k >= 0; k--) {
            Node inner = body.graph().nodes().get(k);
            if (inner.is("", "Identity") && inner.outputs().contains(value)) {
                value = inner.inputs().get(0);
            }
        }
        TensorData data = body.graph()
                .initializers()
                .getOrDefault(value, graph.initializers().get(value));
        for (Node inner : body.graph().nodes()) {
            if (inner.is("", "Constant")
                    && inner.outputs().contains(value)
                    && inner.attributes().get("value") instanceof Attribute.TensorValue tensor) {
                data = tensor.tensor();
            }
        }
        if (data == null) {
            throw Refusal.at(node, "computes in its " + branch + ", which is not followed");
        }
        String name = node.outputs().get(output) + "/" + branch;
        added.put(name, data);
        return name;
    }

    /**
     * A table with one row a token, {@code [T, features]}.
     *
     * @param into takes the nodes that pick the rows, where none do so yet
     */
    String rows(Node reader, ByLength table, List<Node> into) {
        if (limit >= 0 && limit != table.from()) {
            throw Refusal.at(
                    reader, "depends on lengths " + limit + " and " + table.from() + "; one limit is followed");
        }
        // Tokens of shorter sequences stand before the limit.
        if (table.belowShape().size() != 2 || table.belowShape().get(0) < table.from() - 1) {
            throw Refusal.at(reader, "has a table of " + table.belowShape() + " for lengths below " + table.from());
        }
        if (limit < 0) {
            limit = table.from();
            added.put(LIMIT, TensorData.ofInts(new long[0], Math.toIntExact(limit)));
            added.put(NO_ROW, TensorData.ofInts(new long[0], 0));
            added.put(COLUMN, TensorData.ofLongs(new long[] {2}, -1, 1));
            add(into, "Less", IS_BELOW, RaggedModel.TOKEN_SPAN, LIMIT);
            add(into, "Where", IS_BELOW + ".row", IS_BELOW, RaggedModel.TOKEN_POSITION, NO_ROW);
            add(into, "Reshape", IS_BELOW + ".column", IS_BELOW, COLUMN);
        }
        return rows.computeIfAbsent(table.atLeast(), name -> {
            add(into, "Gather", name + ".rows", name, RaggedModel.TOKEN_POSITION);
            add(into, "Gather", table.below() + ".rows", table.below(), IS_BELOW + ".row");
            String picked = name + ".picked";
            add(into, "Where", picked, IS_BELOW + ".column", table.below() + ".rows", name + ".rows");
            return picked;
        });
    }

    /** Position ids for tables with a row a token: those of one sequence from row 0 on. */
    String firstRow() {
        added.put(FIRST, TensorData.ofLongs(new long[] {1}, 0));
        return FIRST;
    }

    private static void add(List<Node> into, String operator, String output, String... inputs) {
        into.add(new Node(output, "", operator, List.of(inputs), List.of(output), Map.of()));
    }
}
