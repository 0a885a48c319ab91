package io.kindling.engine.metadata;

import static io.kindling.engine.metadata.TestGraphs.port;

import com.code_intelligence.jazzer.junit.DictionaryFile;
import com.code_intelligence.jazzer.junit.FuzzTest;
import com.code_intelligence.jazzer.junit.Lifecycle;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.OnnxModel;
import io.kindling.engine.testing.Untrusted;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.provider.MethodSource;

/** Metadata comes with models and is not trusted: see docs/fuzzing.md. */
class MetadataFuzzTest {
    /** An input's first byte chooses the file that the rest becomes. */
    private static final List<String> FILES = List.of(
            "genai_config.json",
            "inference_metadata.yaml",
            "config.json",
            "generation_config.json",
            "tokenizer_config.json",
            "special_tokens_map.json",
            "tokenizer.json",
            "chat_template.json");

    private static final List<String> SEEDS = List.of(
            "0{\"model\":{\"type\":\"gpt\",\"eos_token_id\":[2,-1],\"context_length\":16,\"decoder\":{\"filename\":"
                    + "\"model.onnx\",\"head_size\":16,\"num_key_value_heads\":2,\"inputs\":{\"input_ids\":\"input_ids\","
                    + "\"past_key_names\":\"past_key_values.%d.key\",\"past_value_names\":\"past_key_values.%d.value\"},"
                    + "\"outputs\":{\"logits\":\"logits\",\"present_key_names\":\"present.%d.key\","
                    + "\"present_value_names\":\"present.%d.value\"}}},\"search\":{\"max_length\":16}}",
            "1model:\n  max_sequence_length: 16\n  attention: {num_kv_heads: 2, head_dim: 16}\n  io:\n"
                    + "    token_input: input_ids\n    kv_inputs: [past_key_values.0.key, past_key_values.0.value]\n"
                    + "    kv_outputs: [present.0.key, present.0.value]\n    state_pairs:\n"
                    + "    - {input: conv, output: next_conv, init: zeros}\n",
            "1schema_version: 1\nmodel: &m {vocab_size: 320}\nprofiles: [*m, *m]\n",
            "2{\"max_position_embeddings\":16,\"eos_token_id\":2,\"num_key_value_heads\":2,\"head_dim\":16,"
                    + "\"num_attention_heads\":4,\"hidden_size\":64,\"text_config\":{\"eos_token_id\":[3]}}",
            "3{\"eos_token_id\":[1,2]}",
            "4{\"model_max_length\":1e30,\"eos_token\":{\"content\":\"</s>\"},\"extra_special_tokens\":{\"x\":\"y\"},"
                    + "\"chat_template\":[{\"name\":\"default\",\"template\":\"{{ messages[0].content }}\"}]}",
            "5{\"eos_token\":\"</s>\",\"additional_special_tokens\":[\"a\",{\"content\":\"b\"}]}",
            "6{\"added_tokens\":[{\"id\":2,\"content\":\"</s>\",\"special\":true}],\"normalizer\":null,\"decoder\":"
                    + "{\"type\":\"ByteLevel\"},\"model\":{\"type\":\"BPE\",\"vocab\":{\"a\":0},\"merges\":[]}}",
            "7{\"chat_template\":\"{{ x }}\"}");
    private static final OnnxModel GRAPH = TestGraphs.model(
            List.of(
                    port("input_ids", DataType.INT64, "batch", "sequence"),
                    port("past_key_values.0.key", DataType.FLOAT, "batch", 2, "past", 16),
                    port("past_key_values.0.value", DataType.FLOAT, "batch", 2, "past", 16),
                    port("conv", DataType.FLOAT, "batch", 8, 3)),
            List.of(
                    port("logits", DataType.FLOAT, "batch", "sequence", 320),
                    port("present.0.key", DataType.FLOAT, "batch", 2, "total", 16),
                    port("present.0.value", DataType.FLOAT, "batch", 2, "total", 16),
                    port("next_conv", DataType.FLOAT, "batch", 8, 3)),
            List.of());

    @TempDir
    private Path folder;

    @MethodSource("seeds")
    @DictionaryFile(resourcePath = "metadata.dict")
    @FuzzTest(maxDuration = Untrusted.BOUNDED, lifecycle = Lifecycle.PER_TEST)
    void anyMetadataIsReadOrRefused(byte[] input) throws Exception {
        Untrusted.read(() -> resolve(input));
    }

    private static List<byte[]> seeds() {
        return Stream.concat(SEEDS.stream(), Stream.of(aliases()))
                .map(seed -> seed.getBytes(StandardCharsets.UTF_8))
                .toList();
    }

    /** Lists of two of the list before: two to the twenty-fourth texts, were they written out. */
    private static String aliases() {
        StringBuilder yaml = new StringBuilder("1a0: &a0 [x]\n");
        for (int k = 1; k <= 24; k++) {
            yaml.append("a%d: &a%d [*a%d, *a%d]\n".formatted(k, k, k - 1, k - 1));
        }
        return yaml.toString();
    }

    private void resolve(byte[] input) throws IOException {
        if (input.length == 0) {
            return;
        }
        Files.write(folder.resolve("model.onnx"), new byte[0]);
        Path file = folder.resolve(FILES.get(Math.floorMod(input[0] - '0', FILES.size())));
        Files.write(file, Arrays.copyOfRange(input, 1, input.length));
        // The end token is looked for in tokenizer.json when a configuration names one.
        Path settings = folder.resolve("special_tokens_map.json");
        boolean ofTokenizer = file.getFileName().toString().equals("tokenizer.json");
        try {
            if (ofTokenizer) {
                Files.writeString(settings, "{\"eos_token\":\"</s>\"}");
            }
            PackageResolver.resolve(PackageFiles.locate(folder), GRAPH);
            EncoderResolver.resolve(folder, GRAPH);
        } finally {
            Files.delete(file);
            if (ofTokenizer) {
                Files.delete(settings);
            }
        }
    }
}
