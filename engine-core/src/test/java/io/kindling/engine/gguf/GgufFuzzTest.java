package io.kindling.engine.gguf;

import com.code_intelligence.jazzer.junit.DictionaryFile;
import com.code_intelligence.jazzer.junit.FuzzTest;
import com.code_intelligence.jazzer.junit.Lifecycle;
import io.kindling.engine.testing.Untrusted;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.provider.MethodSource;

/** GGUF files come from anywhere: see docs/fuzzing.md. */
class GgufFuzzTest {
    private static final String KEY = "tokenizer.ggml.";

    @TempDir
    private Path folder;

    @MethodSource("seeds")
    @DictionaryFile(resourcePath = "gguf.dict")
    @FuzzTest(maxDuration = Untrusted.BOUNDED, lifecycle = Lifecycle.PER_TEST)
    void anyFileIsConvertedOrRefused(byte[] input) throws Exception {
        Untrusted.read(() -> convert(input));
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
