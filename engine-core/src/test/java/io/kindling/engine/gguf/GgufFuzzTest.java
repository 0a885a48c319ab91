package io.kindling.engine.gguf;

import static org.assertj.core.api.Assertions.assertThat;

import io.kindling.engine.testing.MutationFuzzer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** GGUF files come from anywhere: see docs/fuzzing.md. */
class GgufFuzzTest {
    private static final String KEY = "tokenizer.ggml.";
    private static final List<String> WORDS = List.of(
            "general.architecture",
            "general.alignment",
            "llama",
            "gemma3",
            "qwen2",
            "phi3",
            KEY + "model",
            KEY + "pre",
            KEY + "tokens",
            KEY + "scores",
            KEY + "token_type",
            KEY + "merges",
            KEY + "bos_token_id",
            "gpt2",
            "gemma4",
            "t5",
            "bert",
            "roberta-bpe",
            "[PAD0]",
            "<0x0A>",
            "\u2581",
            "\u0120",
            "tokenizer.chat_template",
            "\u0000");

    @TempDir
    private Path folder;

    @Test
    void anyFileIsConvertedOrRefused() {
        long read = MutationFuzzer.fuzz("gguf", this::convert, seeds(), WORDS);
        assertThat(read).isGreaterThan(seeds().size());
    }

    /** The tokenizer is rebuilt and the decoder described; weights are not converted. */
    private void convert(byte[] input) throws IOException {
        Path gguf = folder.resolve("m.gguf");
        // A file of its own each time: earlier ones may still be mapped.
        Files.deleteIfExists(gguf);
        GgufFile file = GgufReader.read(Files.write(gguf, input));
        TokenizerFiles.of(file, 64, 2048, Optional.empty());
        DecoderConfig.of(file);
    }

    private static List<byte[]> seeds() {
        return List.of(
                GgufBytes.tinyLlama(2, 2).build(),
                bytePairs().build(),
                scored("llama")
                        .put(KEY + "scores", List.of(0f, 0f, 0f, -2f, -3f, -1f))
                        .build(),
                scored("t5")
                        .put(KEY + "scores", List.of(0f, 0f, 0f, -2f, -3f, -1f))
                        .build(),
                scored("gemma4").put(KEY + "merges", List.of("a b")).build(),
                scored("bert").build());
    }

    private static GgufBytes bytePairs() {
        return new GgufBytes()
                .put("general.architecture", "llama")
                .put(KEY + "model", "gpt2")
                .put(KEY + "pre", "gpt-2")
                .put(KEY + "tokens", List.of("<|im_end|>", "a", "b", "ab", "[PAD4]", "[PAD5]"))
                .put(KEY + "token_type", List.of(3, 1, 1, 1, 5, 5))
                .put(KEY + "merges", List.of("a b"))
                .put(KEY + "eos_token_id", 0);
    }

    private static GgufBytes scored(String model) {
        return new GgufBytes()
                .put("general.architecture", "llama")
                .put(KEY + "model", model)
                .put(KEY + "tokens", List.of("<unk>", "<s>", "</s>", "a", "b", "ab"))
                .put(KEY + "token_type", List.of(2, 3, 3, 1, 1, 1))
                .put(KEY + "bos_token_id", 1)
                .put(KEY + "eos_token_id", 2);
    }
}
