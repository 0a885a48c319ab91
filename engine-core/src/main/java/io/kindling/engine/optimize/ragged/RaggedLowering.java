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
import io.kindling.engine.metadata.PositionPlanes;
import io.kindling.engine.optimize.ragged.Fact.Fixed;
import io.kindling.engine.optimize.ragged.Fact.Indexed;
import io.kindling.engine.optimize.ragged.Fact.Mixed;
import io.kindling.engine.optimize.ragged.Fact.Past;
import io.kindling.engine.optimize.ragged.Fact.Sizes;
import io.kindling.engine.optimize.ragged.Fact.Stacked;
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
 * attention and recurrences is proven to work token by token, so that T tokens of any sequences may stand where one row's S
 * stood. Attention becomes {@link PagedAttention}, a recurrence becomes {@link io.kindling.engine.ir.PackedRecurrence}, the
 * mask and the states fall away, and the tokens to be sampled are picked before the last products.
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
    /** What is known of values by index beside what is known of them by token: positions, and what is made of them. */
    private final Map<String, Indexed> indexed = new HashMap<>();

    private final Map<String, TensorData> added = new LinkedHashMap<>();
    private final MaskTables tables = new MaskTables();
    private final PageLayers layers;
    private final AttentionRule attention;
    private final RecurrenceRule recurrence;
    private final WrittenAttention written;
    private final LengthSwitch lengths;
    private final Positions positions;
    private final TokenRules rules;

    private RaggedLowering(OnnxModel model, DecoderIo io) {
        this.model = model;
        this.io = io;
        graph = model.graph();
        Map<String, DataType> types = new HashMap<>();
        graph.inputs().forEach(input -> elementType(input).ifPresent(type -> types.put(input.name(), type)));
        layers = new PageLayers(types);
        lengths = new LengthSwitch(graph, added);
        attention = new AttentionRule(io, layers, lengths, added);
        recurrence = new RecurrenceRule(types);
        positions = new Positions(graph, added);
        written = new WrittenAttention(layers, added, positions::type, facts::get);
        rules = new TokenRules(model.opset("").orElse(1L));
    }

    public static Outcome lower(OnnxModel model, DecoderIo io) {
        try {
            return new Outcome(Optional.of(new RaggedLowering(CacheBranch.of(model, io), io).run()), "");
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
        if (layers.all().isEmpty() && recurrence.states().isEmpty()) {
            throw new Refusal("the graph has no attention with a cache that pages could replace, and no recurrence");
        }
        SampledRows.pick(nodes, facts, io.logits());
        return assemble(logits);
    }

    private void seed() {
        for (Map.Entry<String, TensorData> constant : graph.initializers().entrySet()) {
            facts.put(constant.getKey(), Fixed.of(constant.getValue()));
        }
        tables.find(graph.initializers(), indexed);
        List<Size> row = List.of(Size.of(1), Size.FED);
        facts.put(io.tokenInput(), new Tokens(row, 1));
        positionIds().ifPresent(port -> {
            PositionPlanes planes = PositionPlanes.of(port);
            if (planes.leading()) {
                facts.put(port.name(), new Tokens(List.of(Size.of(planes.count()), Size.of(1), Size.FED), 2));
            } else {
                facts.put(port.name(), new Tokens(row, 1));
                indexed.put(port.name(), Positions.ids());
            }
        });
        io.attentionMask()
                .ifPresent(name -> facts.put(name, new Indexed(List.of(Size.of(1), Size.TOTAL), Element.TRUE)));
        io.states().forEach(state -> facts.put(state.input(), new Past(state, ReturnedStates.of(graph, state))));
        for (ValueInfo input : graph.inputs()) {
            facts.computeIfAbsent(
                    input.name(), name -> new Mixed("'" + name + "' is read by something other than attention"));
        }
    }

    private Optional<ValueInfo> positionIds() {
        return io.positionIds().flatMap(name -> graph.inputs().stream()
                .filter(input -> input.name().equals(name))
                .findFirst());
    }

    private void follow(Node node) {
        List<Fact> inputs = new ArrayList<>();
        for (String input : node.inputs()) {
            inputs.add(input.isEmpty() ? null : facts.get(input));
        }
        int before = nodes.size();
        List<Fact> outputs;
        try {
            outputs = replace(node, inputs);
        } catch (Refusal refusal) {
            nodes.subList(before, nodes.size()).clear();
            outputs = List.of(new Mixed(
                    AttentionRule.matches(node) || RecurrenceRule.matches(node)
                            ? refusal.getMessage()
                            : cause(inputs).orElse(refusal.getMessage()),
                    LayoutRules.sliced(node, inputs)));
        }
        if (nodes.size() == before) {
            nodes.add(node);
            written.keep(node);
        }
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

    /** Why an input is not proven; what came first is what to name. */
    private static Optional<String> cause(List<Fact> inputs) {
        return inputs.stream()
                .filter(Mixed.class::isInstance)
                .map(fact -> ((Mixed) fact).why())
                .findFirst();
    }

    /** What the outputs are; adds the nodes that compute them, or none where the node itself does. */
    private List<Fact> replace(Node node, List<Fact> inputs) {
        if (AttentionRule.matches(node)) {
            attention.lower(node, inputs, nodes);
            return List.of(attention.output(node));
        }
        if (LengthSwitch.matches(node)) {
            return lengths.follow(node, inputs.get(0));
        }
        if (RecurrenceRule.matches(node)) {
            nodes.add(recurrence.lower(node, inputs));
            return List.of(recurrence.output(node, inputs));
        }
        if (EntryRules.concerns(node, inputs)) {
            return EntryRules.apply(node, inputs, rules);
        }
        if (CacheRules.concerns(inputs) && !node.is("", "Shape")) {
            Optional<CacheRules.Attention> whole = CacheRules.complete(node, inputs);
            if (whole.isPresent()) {
                written.lower(node, whole.get(), nodes);
                return List.of(WrittenAttention.output(whole.get()));
            }
            return List.of(CacheRules.apply(node, inputs));
        }
        List<Fact> outputs = apply(node, inputs);
        written.turnedBack(node).ifPresent(nodes::add);
        if (outputs.get(0) instanceof Sizes sizes) {
            // What reads a constant size need not read what it was taken from, such as the past.
            positions.constant(node.outputs().get(0), sizes).ifPresent(nodes::add);
        }
        return outputs;
    }

    private List<Fact> apply(Node node, List<Fact> inputs) {
        if (node.attributes().values().stream().anyMatch(Attribute.GraphValue.class::isInstance)) {
            throw Refusal.at(node, "has a body, which is not followed");
        }
        if (node.is("", "Constant")) {
            return List.of(ConstantRules.constant(node));
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
        if (inputs.get(0) instanceof Stacked stacked && node.is("", "Reshape")) {
            return List.of(LayoutRules.unstacked(node, stacked, inputs.get(1)));
        }
        Optional<Indexed> byIndex = byIndex(node, inputs);
        byIndex.ifPresent(value -> indexed.put(node.outputs().get(0), value));
        if (inputs.stream().noneMatch(Tokens.class::isInstance)) {
            return List.of(byIndex.<Fact>map(value -> countedTokens(node, value))
                    .or(() -> ConstantRules.expanded(node, inputs))
                    .or(() -> ConstantRules.places(node, inputs))
                    .orElseThrow(() -> Refusal.at(node, "computes with sizes or masks in a way that is not followed")));
        }
        try {
            return rules.apply(node, TokenRules.tokenWise(node, inputs));
        } catch (Refusal refusal) {
            return List.of(byIndex.orElseThrow(() -> refusal));
        }
    }

    private Optional<Indexed> byIndex(Node node, List<Fact> inputs) {
        List<Fact> known = new ArrayList<>();
        for (int k = 0; k < inputs.size(); k++) {
            Indexed alias = indexed.get(node.inputs().get(k));
            known.add(alias == null ? inputs.get(k) : alias);
        }
        return node.outputs().size() == 1 && tables.allows(node, inputs)
                ? IndexRules.apply(
                        node, known, positions.isFraction(node.outputs().get(0)))
                : Optional.empty();
    }

    /** A count of tokens becomes the tokens' positions; all else stays what it is. */
    private Fact countedTokens(Node node, Indexed value) {
        Optional<Tokens> tokens = positions.tokens(value);
        if (tokens.isEmpty()) {
            return value;
        }
        List<Node> counted = positions.nodes(node.outputs().get(0), value);
        nodes.addAll(counted);
        return counted.isEmpty() ? value : tokens.get();
    }

    private RaggedModel assemble(Tokens logits) {
        List<Node> live = liveNodes();
        Set<String> read = new HashSet<>();
        live.forEach(node -> read.addAll(node.inputs()));
        Map<String, TensorData> constants = new LinkedHashMap<>(graph.initializers());
        constants.putAll(added);
        constants.keySet().retainAll(read);
        Graph.Builder builder = Graph.builder(graph.name() + " (packed)");
        builder.nodes().addAll(live);
        builder.initializers().putAll(constants);
        for (ValueInfo input : graph.inputs()) {
            if (facts.get(input.name()) instanceof Tokens tokens && read.contains(input.name())) {
                Dimension[] dims = tokens.dims().stream()
                        .map(size -> size.isConstant() ? Dimension.of(size.constant()) : symbol("tokens"))
                        .toArray(Dimension[]::new);
                builder.inputs().add(port(input.name(), elementType(input).orElseThrow(), dims));
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
                packed,
                io.tokenInput(),
                io.positionIds().filter(read::contains),
                io.logits(),
                layers.all(),
                recurrence.states(),
                lengths.limit());
    }

    private void addPackedInputs(Graph.Builder builder) {
        Dimension tokens = symbol("tokens");
        List<ValueInfo> inputs = builder.inputs();
        inputs.add(port(RaggedModel.BLOCK_TABLE, DataType.INT32, symbol("sequences"), symbol("blocks")));
        inputs.add(port(RaggedModel.TOKEN_SEQUENCE, DataType.INT32, tokens));
        inputs.add(port(RaggedModel.TOKEN_POSITION, DataType.INT32, tokens));
        if (lengths.limit().isPresent()) {
            inputs.add(port(RaggedModel.TOKEN_SPAN, DataType.INT32, tokens));
        }
        inputs.add(port(RaggedModel.SAMPLE_ROWS, DataType.INT64, symbol("sampled")));
        Dimension page = Dimension.of(PagedAttention.PAGE_TOKENS);
        for (RaggedModel.Layer layer : layers.all()) {
            Dimension heads = Dimension.of(layer.kvHeads());
            Dimension size = Dimension.of(layer.headSize());
            inputs.add(port(layer.keyPages(), layer.type(), symbol("pages"), heads, size, page));
            inputs.add(port(layer.valuePages(), layer.type(), symbol("pages"), heads, page, size));
        }
        if (!recurrence.states().isEmpty()) {
            inputs.add(port(RaggedModel.SEQUENCE_SLOT, DataType.INT32, symbol("sequences"), Dimension.of(2)));
        }
        for (RaggedModel.SlotState state : recurrence.states()) {
            List<Dimension> dims = new ArrayList<>(List.of(symbol("slots")));
            state.shape().forEach(size -> dims.add(Dimension.of(size)));
            inputs.add(new ValueInfo(state.input(), ValueType.TensorType.of(state.type(), dims)));
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
