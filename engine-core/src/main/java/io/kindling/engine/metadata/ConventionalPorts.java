package io.kindling.engine.metadata;

import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.ValueType.TensorType;
import io.kindling.engine.metadata.DecoderIo.State;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/** Decoder ports by the names that Hugging Face's exporters use; holds where a {@code config.json} says whose graph it is. */
final class ConventionalPorts {
    private static final String RULE = "config.json and the exporters' port names";
    private static final String TOKENS = "input_ids";
    private static final String LOGITS = "logits";
    private static final String USE_CACHE = "use_cache_branch";

    private ConventionalPorts() {}

    static Resolution resolve(MetadataFile config, Ports ports) {
        if (!ports.inputs().contains(TOKENS) || !ports.outputs().contains(LOGITS)) {
            return Resolution.none(RULE, "the graph is no decoder: it has no input_ids or no logits");
        }
        for (String input : ports.inputs()) {
            if (input.startsWith("encoder_") || PortNames.isCross(input)) {
                return Resolution.none(
                        RULE,
                        "the graph is one half of an encoder-decoder (input '" + input + "'), which is not supported");
            }
        }
        StateShapes shapes = new StateShapes(ports, kvHeads(config), headSize(config));
        List<State> states = new ArrayList<>();
        for (String input : ports.inputs()) {
            PortNames.presentOf(input, ports.outputs())
                    .ifPresent(output ->
                            states.add(shapes.state(input, output, PortNames.kind(input), PortNames.layer(input))));
        }
        if (states.isEmpty()) {
            return Resolution.none(
                    RULE, "the graph has no past states: it is no decoder or was exported without a cache");
        }
        Optional<String> mask = present(ports, "attention_mask");
        Optional<String> positions = present(ports, "position_ids");
        Optional<String> useCache = present(ports, USE_CACHE).filter(name -> isBool(ports, name));
        Set<String> unused = new LinkedHashSet<>(ports.inputs());
        unused.remove(TOKENS);
        states.forEach(state -> unused.remove(state.input()));
        mask.ifPresent(unused::remove);
        positions.ifPresent(unused::remove);
        useCache.ifPresent(unused::remove);
        if (!unused.isEmpty()) {
            return Resolution.none(RULE, "the graph inputs " + unused + " have no role in text generation");
        }
        return Resolution.decoder(RULE, new DecoderIo(TOKENS, mask, positions, useCache, LOGITS, states));
    }

    private static Optional<String> present(Ports ports, String name) {
        return ports.inputs().contains(name) ? Optional.of(name) : Optional.empty();
    }

    private static boolean isBool(Ports ports, String name) {
        return ports.inputType(name).flatMap(TensorType::elementType).equals(Optional.of(DataType.BOOL));
    }

    private static OptionalInt kvHeads(MetadataFile config) {
        return first(config, "num_key_value_heads", "num_attention_heads");
    }

    private static OptionalInt headSize(MetadataFile config) {
        OptionalInt declared = first(config, "head_dim");
        OptionalInt heads = first(config, "num_attention_heads");
        OptionalInt hidden = first(config, "hidden_size");
        if (declared.isPresent() || heads.isEmpty() || hidden.isEmpty()) {
            return declared;
        }
        return OptionalInt.of(hidden.getAsInt() / heads.getAsInt());
    }

    /** The first that is there; models with several modalities keep those of the language in {@code text_config}. */
    static OptionalInt first(MetadataFile config, String... fields) {
        for (String field : fields) {
            for (String path : List.of(field, "text_config." + field)) {
                OptionalInt value = config.size(path);
                if (value.isPresent()) {
                    return value;
                }
            }
        }
        return OptionalInt.empty();
    }
}
