package io.kindling.engine.optimize.ragged;

import io.kindling.engine.ir.Attribute;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Dimension;
import io.kindling.engine.ir.Graph;
import io.kindling.engine.ir.Node;
import io.kindling.engine.ir.OnnxModel;
import io.kindling.engine.ir.PagedAttention;
import io.kindling.engine.ir.TensorData;
import io.kindling.engine.ir.ValueInfo;
import io.kindling.engine.ir.ValueType;
import io.kindling.engine.metadata.DecoderIo;
import io.kindling.engine.optimize.ragged.Fact.Fixed;
import io.kindling.engine.optimize.ragged.Fact.Mixed;
import io.kindling.engine.optimize.ragged.Fact.Ones;
import io.kindling.engine.optimize.ragged.Fact.Sizes;
import io.kindling.engine.optimize.ragged.Fact.Tokens;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Rewrites a decoder to run on packed tokens: a row with batch 1 is followed through the graph, every operator but
 * attention is proven to work token by token, so that T tokens of any sequences may stand where one row's S stood.
 * Attention becomes {@link PagedAttention}, the mask and the states fall away, and the tokens to be sampled are picked
 * before the last products.
 */
public final class RaggedLowering {
    /**
     * The lowered model, or why there is none.
     *
     * @param reason empty when lowered; else names the node in the way
     */
    public record Outcome(Optional<RaggedModel> lowered, String reason) {}

    private final OnnxModel model;
    private final DecoderIo io;
    private final Graph graph;
    private final Map<String, Fact> facts = new HashMap<>();
    private final List<Node> nodes = new ArrayList<>();
    private final AttentionRule attention;
    private final TokenRules rules;

    private RaggedLowering(OnnxModel model, DecoderIo io) {
        this.model = model;
        this.io = io;
        graph = model.graph();
        Map<String, DataType> types = new HashMap<>();
        graph.inputs().forEach(input -> elementType(input).ifPresent(type -> types.put(input.name(), type)));
        attention = new AttentionRule(io, types);
        rules = new TokenRules(model.opset("").orElse(1L));
    }

    public static Outcome lower(OnnxModel model, DecoderIo io) {
        try {
            return new Outcome(Optional.of(new RaggedLowering(model, io).run()), "");
        } catch (Refusal refusal) {
            return new Outcome(Optional.empty(), refusal.getMessage());
        }
    }

    private static Optional<DataType> elementType(ValueInfo port) {
        return port.type() instanceof ValueType.TensorType tensor ? tensor.elementType() : Optional.empty();
    }

    private RaggedModel run() {
        seed();
        graph.nodes().forEach(this::follow);
        if (!(facts.get(io.logits()) instanceof Tokens logits)) {
            throw new Refusal(
                    facts.get(io.logits()) instanceof Mixed mixed
                            ? mixed.why()
                            : "the logits do not depend on the tokens");
        }
        if (logits.rank() != 3 || logits.axis() != 1 || logits.perToken() != 1) {
            throw new Refusal("the logits are " + logits.dims() + ", not [batch, tokens, vocabulary]");
        }
        if (attention.layers().isEmpty()) {
            throw new Refusal("the graph has no attention with a cache that pages could replace");
        }
        pickRows();
        return assemble(logits);
    }

    private void seed() {
        for (Map.Entry<String, TensorData> constant : graph.initializers().entrySet()) {
            facts.put(constant.getKey(), Fixed.of(constant.getValue()));
        }
        List<Size> row = List.of(Size.of(1), Size.FED);
        facts.put(io.tokenInput(), new Tokens(row, 1));
        io.positionIds().ifPresent(name -> facts.put(name, new Tokens(row, 1)));
        io.attentionMask().ifPresent(name -> facts.put(name, new Ones(List.of(Size.of(1), Size.TOTAL))));
        for (ValueInfo input : graph.inputs()) {
            facts.computeIfAbsent(
                    input.name(), name -> new Mixed("'" + name + "' is read by something other than attention"));
        }
    }

    private void follow(Node node) {
        List<Fact> inputs = new ArrayList<>();
        for (String input : node.inputs()) {
            inputs.add(input.isEmpty() ? null : facts.get(input));
        }
        List<Fact> outputs;
        Node kept = node;
        try {
            if (AttentionRule.matches(node)) {
                kept = attention.lower(node, inputs);
                outputs = List.of(attention.output(node));
            } else {
                outputs = apply(node, inputs);
            }
        } catch (Refusal refusal) {
            Optional<Mixed> cause = inputs.stream()
                    .filter(Mixed.class::isInstance)
                    .map(Mixed.class::cast)
                    .findFirst();
            outputs = List.of(new Mixed(refusal.getMessage()));
            if (cause.isPresent() && !AttentionRule.matches(node)) {
                outputs = List.of(cause.get());
            }
        }
        nodes.add(kept);
        for (int k = 0; k < node.outputs().size(); k++) {
            Fact fact = k < outputs.size()
                    ? outputs.get(k)
                    : outputs.get(0) instanceof Mixed mixed
                            ? mixed
                            : new Mixed("output " + k + " of " + node.operator() + " (node '" + node.name()
                                    + "') is read by something other than attention");
            facts.put(node.outputs().get(k), fact);
        }
    }

    private List<Fact> apply(Node node, List<Fact> inputs) {
        if (node.attributes().values().stream().anyMatch(Attribute.GraphValue.class::isInstance)) {
            throw Refusal.at(node, "has a body, which is not followed");
        }
        if (node.is("", "Constant")) {
            return List.of(constant(node));
        }
        if (node.is("", "Shape")) {
            return List.of(SizeRules.shape(node, inputs.get(0))
                    .orElseThrow(() -> Refusal.at(node, "reads a shape that is not known")));
        }
        boolean allFixed = inputs.stream().allMatch(fact -> fact == null || fact instanceof Fixed);
        if (!allFixed
                || SizeRules.sizes(inputs.isEmpty() ? null : inputs.get(0)).isPresent()) {
            Optional<Fact> sizes = inputs.contains(null) ? Optional.empty() : SizeRules.apply(node, inputs);
            if (sizes.isPresent()) {
                return List.of(sizes.get());
            }
        }
        if (allFixed) {
            return Collections.nCopies(node.outputs().size(), ConstantRules.result(node, inputs));
        }
        if (inputs.stream().noneMatch(Tokens.class::isInstance)) {
            throw Refusal.at(node, "computes with sizes or masks in a way that is not followed");
        }
        if (inputs.stream().anyMatch(Mixed.class::isInstance)) {
            throw Refusal.at(node, "reads values of several tokens");
        }
        return rules.apply(node, inputs);
    }

    private static Fact constant(Node node) {
        if (node.attributes().get("value") instanceof Attribute.TensorValue tensor) {
            return Fixed.of(tensor.tensor());
        }
        if (node.attributes().get("value_int") instanceof Attribute.IntValue value) {
            return new Sizes(List.of(Size.of(value.value())), true);
        }
        if (node.attributes().get("value_ints") instanceof Attribute.IntsValue values) {
            return Fixed.of(TensorData.ofLongs(new long[] {values.values().length}, values.values()));
        }
        return node.attributes().containsKey("value_float") ? Fixed.ofShape(List.of()) : Fixed.unknown();
    }

    /**
     * Puts the choice of rows before the longest chain of nodes that ends in the logits and has the tokens as its only
     * variable input.
     */
    private void pickRows() {
        Map<String, Integer> producers = new HashMap<>();
        Map<String, Integer> uses = new HashMap<>();
        for (int k = 0; k < nodes.size(); k++) {
            for (String output : nodes.get(k).outputs()) {
                producers.put(output, k);
            }
            new HashSet<>(nodes.get(k).inputs()).forEach(input -> uses.merge(input, 1, Integer::sum));
        }
        int first = -1;
        String value = io.logits();
        while (producers.containsKey(value)) {
            Node node = nodes.get(producers.get(value));
            Optional<String> before = onlyTokens(node);
            if (before.isEmpty() || uses.getOrDefault(value, 0) > (value.equals(io.logits()) ? 0 : 1)) {
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
    private Optional<String> onlyTokens(Node node) {
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

    private RaggedModel assemble(Tokens logits) {
        List<Node> live = liveNodes();
        Set<String> read = new HashSet<>();
        live.forEach(node -> read.addAll(node.inputs()));
        Map<String, TensorData> constants = new LinkedHashMap<>(graph.initializers());
        constants.keySet().retainAll(read);
        Graph.Builder builder = Graph.builder(graph.name() + " (packed)");
        builder.nodes().addAll(live);
        builder.initializers().putAll(constants);
        for (ValueInfo input : graph.inputs()) {
            boolean tokens = input.name().equals(io.tokenInput())
                    || io.positionIds().filter(input.name()::equals).isPresent();
            if (tokens && read.contains(input.name())) {
                builder.inputs()
                        .add(port(input.name(), elementType(input).orElseThrow(), Dimension.of(1), symbol("tokens")));
            } else if (read.contains(input.name())) {
                Node reader = live.stream()
                        .filter(node -> node.inputs().contains(input.name()))
                        .findFirst()
                        .orElseThrow();
                throw Refusal.at(reader, "still needs '" + input.name() + "'");
            }
        }
        addPackedInputs(builder);
        Dimension vocabulary = Dimension.of(logits.dims().get(2).constant());
        DataType type = graph.outputs().stream()
                .filter(output -> output.name().equals(io.logits()))
                .findFirst()
                .flatMap(RaggedLowering::elementType)
                .orElse(DataType.FLOAT);
        builder.outputs().add(port(io.logits(), type, Dimension.of(1), symbol("sampled"), vocabulary));
        Map<String, Long> opsets = new HashMap<>(model.opsetImports());
        opsets.put(PagedAttention.DOMAIN, PagedAttention.OPSET);
        OnnxModel packed = new OnnxModel(
                model.source(), model.irVersion(), opsets, builder.build(), model.functions(), model.metadata());
        return new RaggedModel(
                packed, io.tokenInput(), io.positionIds().filter(read::contains), io.logits(), attention.layers());
    }

    private void addPackedInputs(Graph.Builder builder) {
        Dimension tokens = symbol("tokens");
        List<ValueInfo> inputs = builder.inputs();
        inputs.add(port(RaggedModel.BLOCK_TABLE, DataType.INT32, symbol("sequences"), symbol("blocks")));
        inputs.add(port(RaggedModel.TOKEN_SEQUENCE, DataType.INT32, tokens));
        inputs.add(port(RaggedModel.TOKEN_POSITION, DataType.INT32, tokens));
        inputs.add(port(RaggedModel.SAMPLE_ROWS, DataType.INT64, symbol("sampled")));
        Dimension page = Dimension.of(PagedAttention.PAGE_TOKENS);
        for (RaggedModel.Layer layer : attention.layers()) {
            Dimension heads = Dimension.of(layer.kvHeads());
            Dimension size = Dimension.of(layer.headSize());
            inputs.add(port(layer.keyPages(), layer.type(), symbol("pages"), heads, size, page));
            inputs.add(port(layer.valuePages(), layer.type(), symbol("pages"), heads, page, size));
        }
    }

    private static Dimension symbol(String name) {
        return Dimension.of("kindling_" + name);
    }

    private static ValueInfo port(String name, DataType type, Dimension... dims) {
        return new ValueInfo(name, ValueType.TensorType.of(type, List.of(dims)));
    }

    /** Nodes that the logits need, in order. */
    private List<Node> liveNodes() {
        Set<String> needed = new HashSet<>(Set.of(io.logits()));
        List<Node> live = new ArrayList<>();
        for (int k = nodes.size() - 1; k >= 0; k--) {
            Node node = nodes.get(k);
            if (node.outputs().stream().anyMatch(needed::contains)) {
                live.add(node);
                needed.addAll(node.inputs());
            }
        }
        needed.remove("");
        Collections.reverse(live);
        return live;
    }
}
