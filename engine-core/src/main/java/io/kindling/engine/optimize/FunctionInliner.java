package io.kindling.engine.optimize;

import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.ModelException;
import io.kindling.engine.ir.Attribute;
import io.kindling.engine.ir.Graph;
import io.kindling.engine.ir.Node;
import io.kindling.engine.ir.OnnxModel;
import io.kindling.engine.ir.ValueInfo;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Replaces calls of a model's own functions by their nodes, nested calls and calls inside of control flow as well. Inner
 * names get the call's name in front; attributes that refer to the call get its values or the function's defaults.
 */
public final class FunctionInliner {
    /** Functions that call functions grow exponentially; far above what real models have. */
    private static final int MAX_NODES = 500_000;
    /** Functions without nodes can call each other as often, and a call costs more than a node. */
    private static final int MAX_CALLS = 50_000;
    /** Calls and bodies inside of each other. */
    private static final int MAX_DEPTH = 200;
    /** Names of inner calls begin with those of outer ones. */
    private static final long MAX_NAME_CHARACTERS = 1 << 25;

    private final OnnxModel model;
    private final Map<String, OnnxModel.Function> functions = new HashMap<>();
    private final Map<String, Long> imports;
    private final Set<String> names = new HashSet<>();
    private final Set<String> calling = new HashSet<>();
    private int nodes;
    private int calls;
    private long nameCharacters;
    private int depth;

    private FunctionInliner(OnnxModel model) {
        this.model = model;
        this.imports = new HashMap<>(model.opsetImports());
        model.functions().forEach(function -> functions.put(key(function.domain(), function.name()), function));
        names.addAll(Bodies.defined(model.graph()));
        names.addAll(Bodies.definedInside(model.graph()));
    }

    /**
     * The model without functions; the same object when it has none.
     *
     * @throws ModelException when functions call each other in a circle, read what they do not define, or need another
     *     version of an operator set than the model
     */
    public static OnnxModel inline(OnnxModel model) {
        return model.functions().isEmpty() ? model : new FunctionInliner(model).run();
    }

    private OnnxModel run() {
        Graph graph = inline(model.graph());
        return new OnnxModel(model.source(), model.irVersion(), imports, graph, List.of(), model.metadata());
    }

    private Graph inline(Graph graph) {
        Graph.Builder result = graph.toBuilder();
        result.nodes().clear();
        graph.nodes().forEach(node -> expand(node, result.nodes()));
        return result.build();
    }

    private void expand(Node node, List<Node> into) {
        if (depth == MAX_DEPTH) {
            throw invalid(node, "functions and bodies nest more than " + MAX_DEPTH + " deep");
        }
        depth++;
        replace(node, into);
        depth--;
    }

    private void replace(Node node, List<Node> into) {
        OnnxModel.Function function = functions.get(key(node.domain(), node.opType()));
        if (function == null) {
            if (++nodes > MAX_NODES) {
                throw invalid(node, "functions expand to more than " + MAX_NODES + " nodes");
            }
            into.add(node.mapBodies(this::inline));
            return;
        }
        if (++calls > MAX_CALLS) {
            throw invalid(node, "functions call each other more than " + MAX_CALLS + " times");
        }
        String key = key(function.domain(), function.name());
        if (!calling.add(key)) {
            throw invalid(node, "function " + key + " calls itself, directly or through others");
        }
        checkImports(node, function);
        call(node, function, into);
        calling.remove(key);
    }

    private void checkImports(Node node, OnnxModel.Function function) {
        function.opsetImports().forEach((domain, version) -> {
            Long known = imports.putIfAbsent(domain, version);
            if (known != null && !known.equals(version)) {
                throw new ModelException(
                        ErrorCode.UNSUPPORTED,
                        model.source(),
                        "node '" + node.name() + "' (" + node.operator() + ")",
                        "its function imports version " + version + " of domain '" + domain + "', the model " + known
                                + "; convert the model to one version");
            }
        });
    }

    private void call(Node call, OnnxModel.Function function, List<Node> into) {
        Map<String, String> values = new HashMap<>();
        values.put("", "");
        for (int i = 0; i < function.inputs().size(); i++) {
            values.put(
                    function.inputs().get(i),
                    i < call.inputs().size() ? call.inputs().get(i) : "");
        }
        Set<String> formals = Set.copyOf(function.inputs());
        List<Node> passedThrough = new ArrayList<>();
        for (int i = 0; i < call.outputs().size() && i < function.outputs().size(); i++) {
            String formal = function.outputs().get(i);
            String actual = call.outputs().get(i);
            if (actual.isEmpty()) {
                continue;
            }
            if (formals.contains(formal)) {
                passedThrough.add(new Node(
                        call.name() + "/" + formal,
                        "",
                        "Identity",
                        List.of(values.get(formal)),
                        List.of(actual),
                        Map.of()));
            } else {
                values.put(formal, actual);
            }
        }
        Set<String> readable = new HashSet<>(formals);
        readable.add("");
        for (Node inner : function.nodes()) {
            for (String read : Bodies.reads(inner)) {
                if (!readable.contains(read)) {
                    throw invalid(
                            call,
                            "node '" + inner.name() + "' of the function reads '" + read + "' before it is defined");
                }
            }
            readable.addAll(inner.outputs());
            expand(instance(inner, call, function, values), into);
        }
        for (String output : function.outputs()) {
            if (!readable.contains(output)) {
                throw invalid(call, "output '" + output + "' of the function is defined by none of its nodes");
            }
        }
        into.addAll(passedThrough);
    }

    /** A node of a function or of a body in it, with the names and attributes of one call. */
    private Node instance(Node inner, Node call, OnnxModel.Function function, Map<String, String> values) {
        Map<String, Attribute> attributes = new LinkedHashMap<>();
        inner.attributes().forEach((key, attribute) -> {
            Optional<Attribute> value = attribute instanceof Attribute.Reference reference
                    ? call.attribute(reference.name())
                            .or(() -> Optional.ofNullable(
                                    function.attributeDefaults().get(reference.name())))
                    : Optional.of(attribute);
            value.ifPresent(present -> attributes.put(key, present));
        });
        List<String> inputs = inner.inputs().stream().map(values::get).toList();
        List<String> outputs = inner.outputs().stream()
                .map(output -> values.computeIfAbsent(output, name -> fresh(call, name)))
                .toList();
        Node node = new Node(inside(call, inner.name()), inner.domain(), inner.opType(), inputs, outputs, attributes);
        return node.mapBodies(body -> instance(body, call, function, values));
    }

    private Graph instance(Graph body, Node call, OnnxModel.Function function, Map<String, String> outer) {
        Map<String, String> values = new HashMap<>(outer);
        Bodies.defined(body).forEach(name -> values.put(name, fresh(call, name)));
        Graph.Builder result = Graph.builder(body.name());
        body.inputs().forEach(input -> result.inputs().add(renamed(input, values)));
        body.outputs().forEach(output -> result.outputs().add(renamed(output, values)));
        body.initializers().forEach((name, tensor) -> result.initializers().put(values.get(name), tensor));
        body.nodes().forEach(node -> result.nodes().add(instance(node, call, function, values)));
        return result.build();
    }

    private static ValueInfo renamed(ValueInfo info, Map<String, String> values) {
        return new ValueInfo(values.get(info.name()), info.type());
    }

    private String fresh(Node call, String name) {
        return Names.fresh(inside(call, name), names);
    }

    private String inside(Node call, String name) {
        String whole = call.name() + "/" + name;
        nameCharacters += whole.length();
        if (nameCharacters > MAX_NAME_CHARACTERS) {
            throw invalid(
                    call,
                    "the names of expanded functions have more than " + MAX_NAME_CHARACTERS + " characters together");
        }
        return whole;
    }

    private static String key(String domain, String name) {
        return domain + "::" + name;
    }

    private ModelException invalid(Node node, String problem) {
        return new ModelException(
                ErrorCode.MODEL_INVALID,
                model.source(),
                "node '" + node.name() + "' (" + node.operator() + ")",
                problem);
    }
}
