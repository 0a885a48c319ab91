package io.kindling.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kindling.engine.Model;
import io.kindling.engine.Options;
import io.kindling.engine.ir.Attribute;
import io.kindling.engine.ir.Graph;
import io.kindling.engine.ir.Node;
import io.kindling.engine.ir.TensorData;
import io.kindling.engine.ir.ValueInfo;
import io.kindling.engine.metadata.DecoderIo;
import io.kindling.engine.metadata.ModelPackage;
import java.io.PrintWriter;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The report of {@code inspect}, as JSON and as text made from it. */
final class InspectReport {
    private InspectReport() {}

    static ObjectNode of(Model model) {
        ModelPackage resolved = model.modelPackage();
        Graph graph = model.graph().graph();
        ObjectNode report = JsonLines.object();
        report.put("model", resolved.modelFile().toString());
        report.put("device", model.deviceDescription());
        ports(report.putArray("inputs"), graph.inputs());
        ports(report.putArray("outputs"), graph.outputs());
        report.put("resolved_by", resolved.resolvedBy());
        resolved.decoder().ifPresent(io -> roles(report.putObject("roles"), io));
        model.executionPath().ifPresent(choice -> report.putObject("execution_path")
                .put("path", Options.PATH.type().write(choice.path()))
                .put("reason", choice.reason()));
        resolved.decoderProblem().ifPresent(problem -> report.put("no_decoder_because", problem));
        resolved.contextLength().ifPresent(length -> report.put("context_length", length));
        resolved.stopIds().stream().sorted().forEach(report.putArray("stop_ids")::add);
        report.put("tokenizer", resolved.tokenizerFile().isPresent());
        report.put("chat_template", !resolved.chatTemplates().texts().isEmpty());
        ObjectNode opsets = report.putObject("opsets");
        new TreeMap<>(model.graph().opsetImports()).forEach((domain, opset) -> opsets.put(label(domain), opset));
        operators(report.putObject("operators"), graph);
        weights(report.putObject("weights"), graph);
        resolved.warnings().forEach(report.putArray("warnings")::add);
        return report;
    }

    private static void ports(ArrayNode target, List<ValueInfo> ports) {
        for (ValueInfo port : ports) {
            target.addObject().put("name", port.name()).put("type", port.type().text());
        }
    }

    private static void roles(ObjectNode roles, DecoderIo io) {
        roles.put("token_input", io.tokenInput());
        io.attentionMask().ifPresent(port -> roles.put("attention_mask", port));
        io.positionIds().ifPresent(port -> roles.put("position_ids", port));
        io.useCacheBranch().ifPresent(port -> roles.put("use_cache_branch", port));
        roles.put("logits", io.logits());
        ArrayNode states = roles.putArray("states");
        for (DecoderIo.State state : io.states()) {
            states.addObject()
                    .put("input", state.input())
                    .put("output", state.output())
                    .put("kind", state.kind().name().toLowerCase(java.util.Locale.ROOT))
                    .put("layer", state.layer());
        }
    }

    /** Counts by domain, then operator, subgraphs included. */
    private static void operators(ObjectNode target, Graph graph) {
        Map<String, Map<String, Integer>> counts = new TreeMap<>();
        count(graph, counts);
        counts.forEach((domain, operators) -> {
            ObjectNode object = target.putObject(domain);
            operators.forEach(object::put);
        });
    }

    private static void count(Graph graph, Map<String, Map<String, Integer>> counts) {
        for (Node node : graph.nodes()) {
            counts.computeIfAbsent(label(node.domain()), domain -> new TreeMap<>())
                    .merge(node.opType(), 1, Integer::sum);
            for (Attribute attribute : node.attributes().values()) {
                if (attribute instanceof Attribute.GraphValue body) {
                    count(body.graph(), counts);
                }
            }
        }
    }

    private static String label(String domain) {
        return domain.isEmpty() ? "ai.onnx" : domain;
    }

    /** Tensors and bytes by element type; strings have no size of their own. */
    private static void weights(ObjectNode target, Graph graph) {
        Map<String, long[]> byType = new TreeMap<>();
        long tensors = 0;
        long bytes = 0;
        for (TensorData weight : graph.initializers().values()) {
            long[] counter = byType.computeIfAbsent(weight.type().onnxName(), name -> new long[2]);
            counter[0]++;
            counter[1] += weight.byteSize();
            tensors++;
            bytes += weight.byteSize();
        }
        target.put("tensors", tensors).put("bytes", bytes);
        ObjectNode types = target.putObject("by_type");
        byType.forEach((name, counter) ->
                types.putObject(name).put("tensors", counter[0]).put("bytes", counter[1]));
    }

    static void print(JsonNode report, PrintWriter out) {
        report.fields().forEachRemaining(field -> print(field.getKey(), field.getValue(), "", out));
    }

    private static void print(String name, JsonNode value, String indent, PrintWriter out) {
        if (value.isObject()) {
            out.println(indent + name + ":");
            value.fields().forEachRemaining(field -> print(field.getKey(), field.getValue(), indent + "  ", out));
        } else if (value.isArray() && value.size() > 0 && value.get(0).isObject()) {
            out.println(indent + name + ":");
            value.forEach(entry -> out.println(indent + "  " + line(entry)));
        } else if (value.isArray()) {
            out.println(indent + name + ": " + joined(value));
        } else {
            out.println(indent + name + ": " + value.asText());
        }
    }

    private static String line(JsonNode object) {
        StringBuilder line = new StringBuilder();
        object.elements().forEachRemaining(value -> line.append(line.length() == 0 ? "" : "  ")
                .append(value.asText()));
        return line.toString();
    }

    private static String joined(JsonNode array) {
        StringBuilder line = new StringBuilder();
        array.forEach(value -> line.append(line.length() == 0 ? "" : ", ").append(value.asText()));
        return line.length() == 0 ? "none" : line.toString();
    }
}
