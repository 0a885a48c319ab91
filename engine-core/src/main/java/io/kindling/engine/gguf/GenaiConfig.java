package io.kindling.engine.gguf;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Path;

/** {@code genai_config.json}, as ONNX Runtime GenAI reads it: names of ports, sizes, special tokens, search defaults. */
final class GenaiConfig {
    private static final ObjectMapper JSON = new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

    private GenaiConfig() {}

    static void write(DecoderConfig config, SpecialTokens tokens, Path file) throws IOException {
        ObjectNode root = JsonNodeFactory.instance.objectNode();
        ObjectNode model = root.putObject("model").put("type", config.family().modelType());
        tokens.begin().ifPresent(id -> model.put("bos_token_id", id));
        if (tokens.stops().size() == 1) {
            model.put("eos_token_id", tokens.stops().iterator().next());
        } else if (!tokens.stops().isEmpty()) {
            ArrayNode ids = model.putArray("eos_token_id");
            tokens.stops().forEach(ids::add);
        }
        tokens.padding().or(tokens::end).ifPresent(id -> model.put("pad_token_id", id));
        model.put("context_length", config.context()).put("vocab_size", config.vocabulary());
        ObjectNode decoder = model.putObject("decoder")
                .put("filename", "model.onnx")
                .put("head_size", config.headSize())
                .put("hidden_size", config.hidden())
                .put("num_attention_heads", config.heads())
                .put("num_hidden_layers", config.layers())
                .put("num_key_value_heads", config.keyValueHeads());
        decoder.putObject("session_options").putArray("provider_options");
        decoder.putObject("inputs")
                .put("input_ids", "input_ids")
                .put("attention_mask", "attention_mask")
                .put("past_key_names", "past_key_values.%d.key")
                .put("past_value_names", "past_key_values.%d.value");
        decoder.putObject("outputs")
                .put("logits", "logits")
                .put("present_key_names", "present.%d.key")
                .put("present_value_names", "present.%d.value");
        root.putObject("search")
                .put("do_sample", false)
                .put("max_length", config.context())
                .put("num_beams", 1)
                .put("past_present_share_buffer", true);
        JSON.writeValue(file.toFile(), root);
    }
}
