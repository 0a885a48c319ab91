package io.kindling.engine.metadata;

import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.ValueType.TensorType;
import io.kindling.engine.metadata.DecoderIo.Kind;
import io.kindling.engine.metadata.DecoderIo.State;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Decoder ports from {@code genai_config.json}, the file of onnxruntime-genai's model builder. */
final class GenaiConfig {
    private static final String RULE = "genai_config.json";
    private static final String INPUTS = "model.decoder.inputs";
    private static final String OUTPUTS = "model.decoder.outputs";
    private static final List<String> COMPOSITES =
            List.of("encoder", "embedding", "vision", "speech", "joiner", "vad", "encoder_decoder_init");
    private static final Set<String> KNOWN_INPUTS = Set.of(
            "input_ids",
            "inputs_embeds",
            "attention_mask",
            "position_ids",
            "past_key_names",
            "past_value_names",
            "past_conv_names",
            "past_recurrent_names",
            "past_names",
            "cross_past_key_names",
            "cross_past_value_names",
            "encoder_hidden_states",
            "targets",
            "lstm_hidden_state",
            "lstm_cell_state",
            "rnn_prev_states",
            "past_sequence_length",
            "current_sequence_length",
            "total_sequence_length",
            "cumulative_sequence_lengths",
            "past_sequence_lengths",
            "block_table",
            "slot_mapping",
            "cache_indirection");
    private static final Set<String> KNOWN_OUTPUTS = Set.of(
            "logits",
            "present_key_names",
            "present_value_names",
            "present_conv_names",
            "present_recurrent_names",
            "present_names",
            "output_cross_qk_names",
            "lstm_hidden_state",
            "lstm_cell_state",
            "outputs",
            "rnn_states");

    private final MetadataFile file;
    private final Ports ports;
    private final List<String> warnings;

    private GenaiConfig(MetadataFile file, Ports ports, List<String> warnings) {
        this.file = file;
        this.ports = ports;
        this.warnings = warnings;
    }

    static Resolution resolve(MetadataFile file, Ports ports, List<String> warnings) {
        return new GenaiConfig(file, ports, warnings).resolve();
    }

    static OptionalInt contextLength(MetadataFile file) {
        OptionalInt declared = file.size("model.context_length");
        return declared.isPresent() ? declared : file.size("search.max_length");
    }

    private Resolution resolve() {
        for (String part : COMPOSITES) {
            if (file.has("model." + part)) {
                return Resolution.none(RULE, composite("has a part '" + part + "' beside its decoder"));
            }
        }
        if (file.has("model.decoder.pipeline")) {
            return Resolution.none(RULE, composite("runs its decoder as a pipeline of several graphs"));
        }
        if (!file.has("model.decoder")) {
            return Resolution.none(RULE, "genai_config.json describes no decoder");
        }
        warnOf(INPUTS, KNOWN_INPUTS);
        warnOf(OUTPUTS, KNOWN_OUTPUTS);
        String tokens = file.text(INPUTS + ".input_ids").orElse("input_ids");
        if (!ports.inputs().contains(tokens) && file.has(INPUTS + ".inputs_embeds")) {
            return Resolution.none(RULE, "the decoder takes embeddings instead of token ids, which is not supported");
        }
        require(INPUTS + ".input_ids", tokens, ports.inputs());
        String logits = file.text(OUTPUTS + ".logits").orElse("logits");
        require(OUTPUTS + ".logits", logits, ports.outputs());
        List<State> states = states();
        if (states.isEmpty()) {
            return Resolution.none(RULE, "the graph has no past states: it was exported without a cache");
        }
        return Resolution.decoder(
                RULE,
                new DecoderIo(
                        tokens,
                        optionalInput("attention_mask"),
                        optionalInput("position_ids"),
                        Optional.empty(),
                        logits,
                        states));
    }

    private static String composite(String how) {
        return "the package " + how + "; only single decoders generate text";
    }

    private void warnOf(String path, Set<String> known) {
        file.unknownFields(path, known).stream()
                .filter(field -> !field.startsWith("past_", path.length() + 1))
                .filter(field -> !field.startsWith("present_", path.length() + 1))
                .forEach(field -> warnings.add(file.name() + ": " + field + " is not known and ignored"));
    }

    private void require(String field, String port, Set<String> exposed) {
        if (!exposed.contains(port)) {
            throw file.unresolved(field, "declares port '" + port + "', but the graph exposes " + exposed);
        }
    }

    private Optional<String> optionalInput(String key) {
        String port = file.text(INPUTS + "." + key).orElse(key);
        return ports.inputs().contains(port) ? Optional.of(port) : Optional.empty();
    }

    private List<State> states() {
        StateShapes shapes = new StateShapes(
                ports, file.size("model.decoder.num_key_value_heads"), file.size("model.decoder.head_size"));
        if (file.has(INPUTS + ".past_names")) {
            throw file.unsupported(INPUTS + ".past_names", "keys and values in one tensor are not supported");
        }
        List<State> states = new ArrayList<>();
        Set<Integer> keys = addPairs("key", Kind.KEY, shapes, states);
        Set<Integer> values = addPairs("value", Kind.VALUE, shapes, states);
        if (!keys.equals(values)) {
            throw file.unresolved(INPUTS, "keys come for the layers " + keys + " but values for " + values);
        }
        checkTypes(states);
        for (String what : List.of("conv", "recurrent")) {
            if (file.has(INPUTS + ".past_" + what + "_names")) {
                addPairs(what, Kind.FIXED, shapes, states);
            }
        }
        Set<String> taken = new HashSet<>();
        states.forEach(state -> taken.add(state.input()));
        for (String input : ports.inputs()) {
            if (!taken.contains(input)) {
                PortNames.presentOf(input, ports.outputs())
                        .ifPresent(output ->
                                states.add(shapes.state(input, output, PortNames.kind(input), PortNames.layer(input))));
            }
        }
        List<String> order = List.copyOf(ports.inputs());
        states.sort(Comparator.comparingInt(state -> order.indexOf(state.input())));
        return states;
    }

    /** The layers found. */
    private Set<Integer> addPairs(String what, Kind kind, StateShapes shapes, List<State> states) {
        String pastField = INPUTS + ".past_" + what + "_names";
        String presentField = OUTPUTS + ".present_" + what + "_names";
        String past = kind == Kind.FIXED ? "past.%d." : "past_key_values.%d.";
        Map<Integer, String> inputs = matching(pastField, past + what, ports.inputs());
        Map<Integer, String> outputs = matching(presentField, "present.%d." + what, ports.outputs());
        if (!inputs.keySet().equals(outputs.keySet())) {
            throw file.unresolved(
                    presentField,
                    "the graph has past layers " + inputs.keySet() + " but present layers " + outputs.keySet());
        }
        inputs.forEach((layer, input) -> states.add(shapes.state(input, outputs.get(layer), kind, layer)));
        return inputs.keySet();
    }

    private Map<Integer, String> matching(String field, String absent, Set<String> names) {
        String pattern = file.text(field).orElse(absent);
        int at = pattern.indexOf("%d");
        if (at < 0 || pattern.indexOf("%d", at + 1) >= 0) {
            throw file.invalid(field, "must have exactly one %d for the layer, not '" + pattern + "'");
        }
        Pattern regex = Pattern.compile(
                Pattern.quote(pattern.substring(0, at)) + "(\\d{1,9})" + Pattern.quote(pattern.substring(at + 2)));
        Map<Integer, String> found = new TreeMap<>();
        for (String name : names) {
            Matcher matcher = regex.matcher(name);
            if (matcher.matches()) {
                found.put(Integer.parseInt(matcher.group(1)), name);
            }
        }
        return found;
    }

    private void checkTypes(List<State> states) {
        Set<DataType> types = new LinkedHashSet<>();
        for (State state : states) {
            ports.inputType(state.input()).flatMap(TensorType::elementType).ifPresent(types::add);
        }
        if (types.size() > 1) {
            throw file.unresolved(INPUTS, "past keys and values must have one element type, not " + types);
        }
    }
}
