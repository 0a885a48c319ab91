package io.kindling.engine.ir;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A whole model.
 *
 * @param source where it came from, as messages should name it
 * @param irVersion ONNX IR version of the file
 * @param opsetImports opset version by domain; the default domain is the empty string
 * @param functions model-local functions
 * @param metadata the file's {@code metadata_props}
 */
public record OnnxModel(
        String source,
        long irVersion,
        Map<String, Long> opsetImports,
        Graph graph,
        List<Function> functions,
        Map<String, String> metadata) {

    public OnnxModel {
        opsetImports = Map.copyOf(opsetImports);
        functions = List.copyOf(functions);
        metadata = Map.copyOf(metadata);
    }

    /**
     * A function body: called like an operator.
     *
     * @param attributeDefaults attributes that have one; {@code attributeNames} lists those that a call must give
     */
    public record Function(
            String domain,
            String name,
            List<String> inputs,
            List<String> outputs,
            List<String> attributeNames,
            Map<String, Attribute> attributeDefaults,
            List<Node> nodes,
            Map<String, Long> opsetImports) {
        public Function {
            inputs = List.copyOf(inputs);
            outputs = List.copyOf(outputs);
            attributeNames = List.copyOf(attributeNames);
            attributeDefaults = Map.copyOf(attributeDefaults);
            nodes = List.copyOf(nodes);
            opsetImports = Map.copyOf(opsetImports);
        }
    }

    public Optional<Long> opset(String domain) {
        return Optional.ofNullable(opsetImports.get(domain));
    }

    public OnnxModel withOpset(String domain, long version) {
        Map<String, Long> imports = new HashMap<>(opsetImports);
        imports.put(domain, version);
        return new OnnxModel(source, irVersion, imports, graph, functions, metadata);
    }

    public OnnxModel withGraph(Graph newGraph) {
        return new OnnxModel(source, irVersion, opsetImports, newGraph, functions, metadata);
    }
}
