package io.kindling.engine.gguf;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.kindling.engine.testing.PythonOracle;
import io.kindling.engine.text.HuggingFaceTokenizer;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tokenizers that go into a GGUF file as llama.cpp's converters write them come out as they were: same ids, same texts, for
 * thousands of tricky and random texts. Expected values are those of Hugging Face's and SentencePiece's own libraries; see
 * src/test/python/make_gguf_tokenizers.py.
 */
class GgufTokenizersTest {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final int ROWS = 1 << 20;

    /** Names of llama.cpp that stand for one and the same splitting. */
    private static final Map<String, List<String>> SAME = Map.ofEntries(
            Map.entry(
                    "gpt-2",
                    List.of(
                            "phi-2",
                            "jais",
                            "trillion",
                            "granite-docling",
                            "exaone4",
                            "gigachat",
                            "a.x-4.0",
                            "mellum",
                            "jina-es",
                            "jina-de",
                            "jina-v1-en",
                            "jina-v2-es",
                            "jina-v2-de",
                            "jina-v2-code",
                            "roberta-bpe")),
            Map.entry("olmo", List.of("mpt", "modern-bert")),
            Map.entry("smollm", List.of("starcoder", "refact", "codeshell", "exaone", "minerva-7b", "mellum2")),
            Map.entry(
                    "llama-bpe",
                    List.of(
                            "llama3",
                            "llama-v3",
                            "falcon3",
                            "falcon-h1",
                            "pixtral",
                            "midm-2.0",
                            "lfm2",
                            "jina-v5-nano")),
            Map.entry("smaug-bpe", List.of("dbrx", "glm4", "chatglm-bpe")),
            Map.entry("qwen2", List.of("deepseek-r1-qwen", "megrez", "f2llmv2", "stablelm2")),
            Map.entry("hunyuan", List.of("kormo", "solar-open", "grok-2")),
            Map.entry("gpt-4o", List.of("llama4", "kanana2", "talkie", "granite-embed-multi-97m")),
            Map.entry("deepseek-v3", List.of("hunyuan-dense", "joyai-llm", "hy_v4")),
            Map.entry("bloom", List.of("poro-chat", "gpt3-finnish")),
            Map.entry("tiny_aya", List.of("cohere2moe")),
            Map.entry("bailingmoe", List.of("bailingmoe2", "llada-moe")));

    @TempDir
    private static Path folder;

    private static Path smollm2;

    @BeforeAll
    static void make() throws Exception {
        Path packages = PythonOracle.sitePackages("smollm2");
        try (Stream<Path> files = Files.walk(packages)) {
            smollm2 = files.filter(file -> file.toString().endsWith(".gguf"))
                    .findFirst()
                    .orElseThrow();
        }
        PythonOracle.script("transformers", "make_gguf_tokenizers.py", folder.toString(), smollm2.toString());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "gpt-2",
                "olmo",
                "smollm",
                "command-r",
                "falcon",
                "llama-bpe",
                "smaug-bpe",
                "qwen2",
                "hunyuan",
                "qwen35",
                "gpt-4o",
                "tekken",
                "kimi-k2",
                "deepseek-v3",
                "deepseek-coder",
                "deepseek-llm",
                "afmoe",
                "spark2_5",
                "youtu",
                "minicpm5",
                "ufakzeka",
                "laguna",
                "minimax-m2",
                "default",
                "bailingmoe",
                "seed-coder",
                "exaone-moe",
                "bloom",
                "viking",
                "superbpe",
                "tiny_aya",
                "jais-2",
                "chameleon",
                "sentencepiece",
                "gemma",
                "unigram",
                "wordpiece"
            })
    void comesOutAsItWas(String name) throws IOException {
        check(folder.resolve(name + ".gguf"), name);
    }

    @Test
    void thoseOfAPublishedFileToo() throws IOException {
        check(smollm2, "smollm2");
    }

    /** Gemma 3 270M, whose 262,144 tokens include runs of breaks, spaces and tabulators. */
    @Test
    @Tag("nightly")
    void gemmaIsReadAsTransformersReadsIt() throws Exception {
        Path gguf = folder.resolve("gemma.q4_k_m.gguf");
        Path packages = PythonOracle.sitePackages("gemma3");
        try (OutputStream whole = Files.newOutputStream(gguf);
                Stream<Path> files = Files.walk(packages)) {
            List<Path> parts = files.filter(file -> file.toString().matches(".*\\.gguf\\.part\\d+"))
                    .sorted(Comparator.comparing(file -> file.getFileName().toString()))
                    .toList();
            for (Path part : parts) {
                Files.copy(part, whole);
            }
        }
        PythonOracle.script("transformers", "load_gguf_tokenizer.py", gguf.toString(), folder.toString(), "gemma3");
        check(gguf, "gemma3");
    }

    private static void check(Path gguf, String name) throws IOException {
        Path out = Files.createDirectories(folder.resolve("rebuilt-" + name));
        TokenizerFiles.of(GgufReader.read(gguf), ROWS, 2048, Optional.empty()).write(out);
        int texts = 0;
        int sequences = 0;
        try (HuggingFaceTokenizer tokenizer = HuggingFaceTokenizer.open(out.resolve("tokenizer.json"));
                Stream<String> lines = Files.lines(folder.resolve(name + ".jsonl"))) {
            for (String line : (Iterable<String>) lines::iterator) {
                JsonNode expected = MAPPER.readTree(line);
                if (expected.has("text")) {
                    String field = expected.has("ids") ? "ids" : "special_ids";
                    String text = expected.get("text").asText();
                    assertThat(tokenizer.encode(text, field.equals("special_ids")))
                            .as(() -> name + " " + field + " of " + expected.get("text"))
                            .isEqualTo(ids(expected, field));
                    texts++;
                } else {
                    int[] ids = ids(expected, "ids");
                    assertThat(tokenizer.decode(ids, true))
                            .as(() -> name + " " + expected.get("ids"))
                            .isEqualTo(expected.get("decoded").asText());
                    assertThat(tokenizer.decode(ids, false))
                            .as(() -> name + " " + expected.get("ids"))
                            .isEqualTo(expected.get("decoded_special").asText());
                    sequences++;
                }
            }
        }
        assertThat(texts).isGreaterThan(500);
        assertThat(sequences).isGreaterThan(300);
    }

    private static int[] ids(JsonNode line, String field) {
        int[] ids = new int[line.get(field).size()];
        Arrays.setAll(ids, k -> line.get(field).get(k).asInt());
        return ids;
    }

    @Test
    void namesOfOneSplittingMeanTheSame() {
        SAME.forEach((name, others) -> {
            PreTokenizers one = PreTokenizers.of(name).orElseThrow();
            for (String other : others) {
                assertThat(PreTokenizers.of(other)).as(other).contains(one);
            }
        });
    }
}
