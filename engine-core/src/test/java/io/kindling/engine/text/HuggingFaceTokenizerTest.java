package io.kindling.engine.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import java.io.IOException;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Expected values come from the Python package {@code tokenizers}: see src/test/python/make_tokenizers.py. */
class HuggingFaceTokenizerTest {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    @TempDir
    Path temp;

    @ParameterizedTest
    @ValueSource(strings = {"bytelevel", "bytefallback", "wordpiece"})
    void encodesAndDecodesLikeThePythonPackage(String name) throws Exception {
        int encoded = 0;
        int decoded = 0;
        try (HuggingFaceTokenizer tokenizer = HuggingFaceTokenizer.open(resource(name + ".json"))) {
            for (JsonNode line : cases(name)) {
                if (line.has("text")) {
                    String text = line.get("text").asText();
                    assertThat(tokenizer.encode(text, false)).as(text).isEqualTo(ids(line, "ids"));
                    assertThat(tokenizer.encode(text, true)).as(text).isEqualTo(ids(line, "special_ids"));
                    encoded++;
                } else {
                    int[] ids = ids(line, "ids");
                    assertThat(tokenizer.decode(ids, true))
                            .isEqualTo(line.get("decoded").asText());
                    assertThat(tokenizer.decode(ids, false))
                            .isEqualTo(line.get("decoded_special").asText());
                    decoded++;
                }
            }
        }
        assertThat(encoded).isEqualTo(25);
        assertThat(decoded).isEqualTo(85);
    }

    @ParameterizedTest
    @ValueSource(strings = {"bytelevel", "bytefallback", "wordpiece"})
    void piecesJoinToTheWholeText(String name) throws Exception {
        int checked = 0;
        try (HuggingFaceTokenizer tokenizer = HuggingFaceTokenizer.open(resource(name + ".json"))) {
            for (JsonNode line : cases(name)) {
                if (line.has("decoded")) {
                    for (boolean skip : new boolean[] {true, false}) {
                        IncrementalDetokenizer detokenizer = tokenizer.newDetokenizer(skip);
                        assertThat(detokenizer).isInstanceOf(StreamingDetokenizer.class);
                        StringBuilder joined = new StringBuilder();
                        for (int id : ids(line, "ids")) {
                            joined.append(detokenizer.add(id));
                        }
                        joined.append(detokenizer.finish(false));
                        assertThat(joined.toString())
                                .isEqualTo(line.get(skip ? "decoded" : "decoded_special")
                                        .asText());
                        checked++;
                    }
                }
            }
        }
        assertThat(checked).isEqualTo(170);
    }

    @ParameterizedTest
    @ValueSource(strings = {"bytelevel", "bytefallback"})
    void holdsBackACharacterUntilItsLastToken(String name) throws Exception {
        try (HuggingFaceTokenizer tokenizer = HuggingFaceTokenizer.open(resource(name + ".json"))) {
            // An emoji that no training text holds: four tokens, one for each byte.
            int[] ids = tokenizer.encode("a👍", false);
            int[] emoji = Arrays.copyOfRange(ids, ids.length - 4, ids.length);
            IncrementalDetokenizer detokenizer = tokenizer.newDetokenizer(true);
            for (int k = 0; k < 3; k++) {
                assertThat(detokenizer.add(emoji[k])).isEmpty();
                assertThat(detokenizer.hasUnfinishedCharacter()).isTrue();
                assertThat(detokenizer.pending()).isEmpty();
            }
            assertThat(detokenizer.add(emoji[3]) + detokenizer.pending()).isEqualTo("👍");
            assertThat(detokenizer.hasUnfinishedCharacter()).isFalse();
        }
    }

    @Test
    void loneSurrogatesBecomeReplacementCharacters() throws Exception {
        try (HuggingFaceTokenizer tokenizer = HuggingFaceTokenizer.open(resource("bytelevel.json"))) {
            assertThat(tokenizer.encode("a\uD83D b\uDC4D 👍", false))
                    .isEqualTo(tokenizer.encode("a\uFFFD b\uFFFD 👍", false));
        }
    }

    @Test
    void knowsSpecialTokens() throws Exception {
        try (HuggingFaceTokenizer tokenizer = HuggingFaceTokenizer.open(resource("bytelevel.json"))) {
            assertThat(tokenizer.specialToken(tokenizer.encode("<|user|>", false)[0]))
                    .contains("<|user|>");
            assertThat(tokenizer.specialToken(tokenizer.encode("<think>", false)[0]))
                    .isEmpty();
            assertThat(tokenizer.specialToken(0)).isEmpty();
            assertThat(tokenizer.specialToken(-1)).isEmpty();
        }
    }

    @Test
    void manyThreadsShareOneTokenizer() throws Exception {
        try (HuggingFaceTokenizer tokenizer = HuggingFaceTokenizer.open(resource("bytelevel.json"))) {
            List<JsonNode> texts =
                    cases("bytelevel").stream().filter(line -> line.has("text")).toList();
            List<String> wrong = IntStream.range(0, 400)
                    .parallel()
                    .mapToObj(k -> texts.get(k % texts.size()))
                    .filter(line ->
                            !Arrays.equals(tokenizer.encode(line.get("text").asText(), false), ids(line, "ids")))
                    .map(JsonNode::toString)
                    .toList();
            assertThat(wrong).isEmpty();
        }
    }

    @Test
    void aSecondClassLoaderLoadsItsOwnCopy() throws Exception {
        String property = System.getProperty("ENGINE_CACHE_DIR");
        HuggingFaceTokenizer.open(resource("bytelevel.json")).close();
        List<URL> urls = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(java.io.File.pathSeparator)) {
            urls.add(Path.of(entry).toUri().toURL());
        }
        try (URLClassLoader other =
                new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
            Class<?> type = other.loadClass(HuggingFaceTokenizer.class.getName());
            assertThat(type).isNotSameAs(HuggingFaceTokenizer.class);
            try (AutoCloseable tokenizer =
                    (AutoCloseable) type.getMethod("open", Path.class).invoke(null, resource("bytelevel.json"))) {
                Object ids =
                        type.getMethod("encode", String.class, boolean.class).invoke(tokenizer, "<|user|>", false);
                assertThat((int[]) ids).hasSize(1);
            }
        }
        assertThat(System.getProperty("ENGINE_CACHE_DIR")).isEqualTo(property);
    }

    @Test
    void missingFileIsNamed() {
        Path missing = temp.resolve("tokenizer.json");
        assertThatThrownBy(() -> HuggingFaceTokenizer.open(missing))
                .isInstanceOfSatisfying(
                        KindlingException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.TOKENIZER))
                .hasMessage(
                        "there is no tokenizer file '" + missing + "'; add the model's tokenizer.json to its folder");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "[]", "{\"model\":", "{\"version\":\"1.0\"}", "{\"model\":{\"type\":\"Nonsense\"}}"})
    void malformedFileIsNamed(String content) throws IOException {
        Path file = Files.writeString(temp.resolve("tokenizer.json"), content);
        assertThatThrownBy(() -> HuggingFaceTokenizer.open(file))
                .isInstanceOfSatisfying(
                        KindlingException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.TOKENIZER))
                .hasMessageStartingWith("the tokenizer file '" + file + "' is malformed: ");
    }

    private static final String STRIPPING = """
            {"model": {"type": "WordLevel", "unk_token": "a", "vocab": {"a": 0, "bee": 1, "see": 2}},
             "decoder": {"type": "Sequence", "decoders": [{"type": "Fuse"}%s,
               {"type": "Strip", "content": "e", "start": 0, "stop": 3}]}}""";

    /** The library ends the process here: it looks for the characters to strip before the text's beginning. */
    @Test
    void textsShorterThanWhatIsStrippedDoNoHarm() throws IOException {
        Path file = Files.writeString(temp.resolve("tokenizer.json"), STRIPPING.formatted(""));
        try (HuggingFaceTokenizer tokenizer = HuggingFaceTokenizer.open(file)) {
            assertThat(tokenizer.decode(new int[0], true)).isEmpty();
            assertThat(tokenizer.decode(new int[] {0}, true)).isEqualTo("a");
            assertThat(tokenizer.decode(new int[] {1, 2}, true)).isEqualTo("bees");
        }
    }

    @Test
    void decodersThatWouldEndTheProcessAreRefused() throws IOException {
        String regex = ", {\"type\": \"Replace\", \"pattern\": {\"Regex\": \"x+\"}, \"content\": \"y\"}";
        Path file = Files.writeString(temp.resolve("tokenizer.json"), STRIPPING.formatted(regex));
        assertThatThrownBy(() -> HuggingFaceTokenizer.open(file))
                .isInstanceOf(KindlingException.class)
                .hasMessage("the tokenizer file '" + file
                        + "' is malformed: field 'decoder' has a Strip with 'stop' above 0"
                        + " beside a stage that only the library can run");
    }

    @Test
    void closedTokenizerRefuses() throws Exception {
        HuggingFaceTokenizer tokenizer = HuggingFaceTokenizer.open(resource("bytelevel.json"));
        tokenizer.close();
        tokenizer.close();
        assertThatThrownBy(() -> tokenizer.encode("a", false))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("is closed");
    }

    private static int[] ids(JsonNode line, String field) {
        int[] ids = new int[line.get(field).size()];
        Arrays.setAll(ids, k -> line.get(field).get(k).asInt());
        return ids;
    }

    private static List<JsonNode> cases(String name) throws IOException, URISyntaxException {
        try (Stream<String> lines = Files.lines(resource(name + ".cases.jsonl"))) {
            List<JsonNode> parsed = new ArrayList<>();
            for (String line : (Iterable<String>) lines::iterator) {
                parsed.add(MAPPER.readTree(line));
            }
            return parsed;
        }
    }

    private static Path resource(String name) throws URISyntaxException {
        return Path.of(HuggingFaceTokenizerTest.class.getResource(name).toURI());
    }
}
