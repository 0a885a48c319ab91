package io.kindling.engine.metadata;

import com.fasterxml.jackson.databind.JsonNode;
import io.kindling.engine.metadata.DecoderIo.Kind;
import io.kindling.engine.metadata.DecoderIo.State;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/**
 * Decoder ports from {@code inference_metadata.{yaml,yml,json}}: the {@code model.io} form, whose fields name exact graph ports;
 * token ids and logits may be left to {@link ShapeRules}. The schema is closed: an unknown field is an error.
 */
final class Sidecar {
    private static final String IO = "model.io";
    private static final Set<String> TOP = Set.of(
            "schema_version",
            "required_capabilities",
            "model",
            "quantization",
            "pipeline",
            "adapters",
            "hardware_requirements",
            "preprocessing",
            "package",
            "generation",
            "profiles",
            "speculative");
    private static final Set<String> MODEL = Set.of(
            "attention",
            "max_sequence_length",
            "vocab_size",
            "runtime_configurable",
            "mixture_of_experts",
            "sharding",
            "io");
    /** Fields of {@code model.io} that describe what this engine does not run. */
    private static final List<String> UNSUPPORTED = List.of(
            "inputs_embeds_input",
            "encoder_hidden_states_input",
            "audio_features_input",
            "cross_kv_inputs",
            "cross_kv_outputs",
            "static_cache");

    private static final Set<String> SUPPORTED = Set.of(
            "sequence_source",
            "kv_ownership",
            "kv_layout",
            "token_input",
            "attention_mask_input",
            "position_ids_input",
            "logits_output",
            "hidden_output",
            "kv_inputs",
            "kv_outputs",
            "aliasing",
            "state_pairs",
            "optional_inputs");

    private final MetadataFile file;
    private final Ports ports;

    private Sidecar(MetadataFile file, Ports ports) {
        this.file = file;
        this.ports = ports;
    }

    /** Whether the file says anything of ports; otherwise the next source is asked. */
    static boolean describesPorts(MetadataFile file) {
        return file.has(IO) || file.has("pipeline.workflow");
    }

    static Resolution resolve(MetadataFile file, Ports ports) {
        return new Sidecar(file, ports).resolve();
    }

    static void checkFields(MetadataFile file) {
        Set<String> io = new HashSet<>(SUPPORTED);
        io.addAll(UNSUPPORTED);
        List<String> unknown = new ArrayList<>(file.unknownFields("", TOP));
        unknown.addAll(file.unknownFields("model", MODEL));
        unknown.addAll(file.unknownFields(IO, io));
        if (!unknown.isEmpty()) {
            throw file.invalid(
                    unknown.get(0),
                    "is no field of the schema"
                            + (unknown.size() > 1 ? "; nor are " + unknown.subList(1, unknown.size()) : ""));
        }
    }

    private Resolution resolve() {
        if (file.has("pipeline.workflow")) {
            if (file.has(IO)) {
                throw file.invalid(IO, "cannot stand beside pipeline.workflow; keep one of them");
            }
            throw file.unsupported(
                    "pipeline.workflow", "workflows are not supported; describe the decoder's ports in model.io");
        }
        for (String field : UNSUPPORTED) {
            if (file.has(IO + "." + field)) {
                throw file.unsupported(
                        IO + "." + field, "is not supported: only decoders over token ids with growing caches are");
            }
        }
        expect("sequence_source", "token_ids");
        expect("kv_ownership", "owned");
        Set<String> inputs = new LinkedHashSet<>();
        Set<String> outputs = new LinkedHashSet<>();
        Optional<String> token = input("token_input", inputs);
        Optional<String> mask = input("attention_mask_input", inputs);
        Optional<String> positions = input("position_ids_input", inputs);
        Optional<String> logits = output("logits_output", outputs);
        output("hidden_output", outputs);
        List<State> states = states(inputs, outputs);
        // Declared names beat structure: what has a role is no candidate for another.
        String tokenInput = token.orElseGet(() -> ShapeRules.tokenInput(ports, inputs));
        String logitsOutput = logits.orElseGet(() -> ShapeRules.logitsOutput(ports, outputs));
        String rule = file.name();
        if (states.isEmpty()) {
            return Resolution.none(
                    rule,
                    "decoding requires explicit decoder state; declare kv_inputs and kv_outputs (or state_pairs)");
        }
        return Resolution.decoder(
                rule, new DecoderIo(tokenInput, mask, positions, Optional.empty(), logitsOutput, states));
    }

    private void expect(String field, String only) {
        Optional<String> value = file.text(IO + "." + field);
        if (value.isPresent() && !value.get().equals(only)) {
            throw file.unsupported(IO + "." + field, "'" + value.get() + "' is not supported, only '" + only + "' is");
        }
    }

    private Optional<String> input(String field, Set<String> taken) {
        Optional<String> port = file.text(IO + "." + field);
        port.ifPresent(name -> taken.add(declared(field, name, ports.inputs())));
        return port;
    }

    private Optional<String> output(String field, Set<String> taken) {
        Optional<String> port = file.text(IO + "." + field);
        port.ifPresent(name -> taken.add(declared(field, name, ports.outputs())));
        return port;
    }

    private String declared(String field, String name, Set<String> exposed) {
        if (!exposed.contains(name)) {
            throw file.unresolved(IO + "." + field, "declares port '" + name + "', but the graph exposes " + exposed);
        }
        return name;
    }

    private List<State> states(Set<String> takenInputs, Set<String> takenOutputs) {
        OptionalInt heads = file.size("model.attention.num_kv_heads");
        StateShapes shapes = new StateShapes(ports, heads, file.size("model.attention.head_dim"));
        List<String> inputs = file.texts(IO + ".kv_inputs");
        List<String> outputs = file.texts(IO + ".kv_outputs");
        if (inputs.size() != outputs.size()) {
            throw file.invalid(
                    IO + ".kv_inputs",
                    "io.kv_inputs (" + inputs.size() + ") and io.kv_outputs (" + outputs.size()
                            + ") must have equal length for positional pairing");
        }
        List<State> states = new ArrayList<>();
        for (int k = 0; k < inputs.size(); k++) {
            takenInputs.add(declared("kv_inputs", inputs.get(k), ports.inputs()));
            takenOutputs.add(declared("kv_outputs", outputs.get(k), ports.outputs()));
            // Positional: key and value of a layer follow each other.
            states.add(shapes.state(inputs.get(k), outputs.get(k), k % 2 == 0 ? Kind.KEY : Kind.VALUE, k / 2));
        }
        int pair = 0;
        for (JsonNode ignored : file.at(IO + ".state_pairs")) {
            states.add(statePair(pair++, shapes, takenInputs, takenOutputs));
        }
        return states;
    }

    private State statePair(int index, StateShapes shapes, Set<String> takenInputs, Set<String> takenOutputs) {
        JsonNode pair = file.at(IO + ".state_pairs").path(index);
        String field = "state_pairs[" + index + "]";
        String init = pair.path("init").asText("zeros");
        String update = pair.path("update").asText("replace");
        if (!init.equals("zeros") || !update.equals("replace")) {
            throw file.unsupported(
                    IO + "." + field,
                    "init '" + init + "' with update '" + update + "' is not supported, only zeros with replace");
        }
        String input = declared(field + ".input", pair.path("input").asText(), ports.inputs());
        String output = declared(field + ".output", pair.path("output").asText(), ports.outputs());
        takenInputs.add(input);
        takenOutputs.add(output);
        return shapes.state(input, output, Kind.FIXED, index);
    }
}
