package io.kindling.engine.metadata;

import static io.kindling.engine.metadata.TestGraphs.port;
import static org.assertj.core.api.Assertions.assertThat;

import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.OnnxModel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EncoderResolverTest {
    private static final OnnxModel GRAPH = TestGraphs.model(
            List.of(
                    port("input_ids", DataType.INT64, "batch", "sequence"),
                    port("attention_mask", DataType.INT64, "batch", "sequence")),
            List.of(port("last_hidden_state", DataType.FLOAT, "batch", "sequence", 8)),
            List.of());

    @TempDir
    private Path folder;

    private OptionalInt limit(Map<String, String> files) throws IOException {
        Path root = Files.createTempDirectory(folder, "package");
        for (Map.Entry<String, String> file : files.entrySet()) {
            Files.writeString(root.resolve(file.getKey()), file.getValue());
        }
        return EncoderResolver.resolve(root, GRAPH).maxTokens();
    }

    /** As in sentence-transformers, whose limit is the smaller one of the two unless its own file says one. */
    @Test
    void noTextIsLongerThanTheTokenizerOrThePositionsAllow() throws IOException {
        String bert = "{\"model_type\": \"bert\", \"max_position_embeddings\": 128}";
        String roberta = "{\"model_type\": \"roberta\", \"max_position_embeddings\": 514}";
        String tokenizer256 = "{\"model_max_length\": 256}";
        assertThat(limit(Map.of("config.json", bert, "tokenizer_config.json", tokenizer256)))
                .hasValue(128);
        assertThat(limit(Map.of("config.json", roberta, "tokenizer_config.json", tokenizer256)))
                .hasValue(256);
        assertThat(limit(Map.of("config.json", roberta, "tokenizer_config.json", "{\"model_max_length\": 1e30}")))
                .hasValue(512);
        assertThat(limit(Map.of("config.json", "{}", "tokenizer_config.json", tokenizer256)))
                .hasValue(256);
        assertThat(limit(Map.of("config.json", bert, "sentence_bert_config.json", "{\"max_seq_length\": 64}")))
                .hasValue(64);
        assertThat(limit(Map.of("tokenizer.json", "{\"truncation\": {\"max_length\": 32}}")))
                .hasValue(32);
        assertThat(limit(Map.of("config.json", "{}"))).isEmpty();
    }
}
