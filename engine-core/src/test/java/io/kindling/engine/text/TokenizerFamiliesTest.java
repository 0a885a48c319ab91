package io.kindling.engine.text;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.kindling.engine.testing.PythonOracle;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Expected values are Hugging Face's: see src/test/python/tokenizer_families.py. */
class TokenizerFamiliesTest {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    @TempDir
    private static Path folder;

    private static List<String> families;

    @BeforeAll
    static void trainTokenizers() throws Exception {
        families = List.of(PythonOracle.script(
                        "transformers",
                        "tokenizer_families.py",
                        folder.resolve("out").toString())
                .split(" "));
    }

    @Test
    void idsAreThoseOfHuggingFace() throws Exception {
        Map<String, List<String>> wrong = new LinkedHashMap<>();
        int checked = 0;
        for (String family : families) {
            try (Tokenizer tokenizer = open(family)) {
                List<String> texts = new ArrayList<>();
                List<int[]> batch = new ArrayList<>();
                for (JsonNode line : cases(family)) {
                    if (!line.has("skip_special_tokens")) {
                        String text = line.get("text").asText();
                        boolean asText = line.has("as_text");
                        boolean automatic =
                                asText || line.get("add_special_tokens").asBoolean();
                        int[] ids = asText ? tokenizer.encodeAsText(text, true) : tokenizer.encode(text, automatic);
                        check(Arrays.equals(ids, ids(line)), family, line, wrong);
                        checked++;
                        if (!asText && automatic) {
                            texts.add(text);
                            batch.add(ids);
                        }
                    }
                }
                assertThat(tokenizer.encodeBatch(texts, true)).as(family).isDeepEqualTo(batch.toArray(int[][]::new));
            }
        }
        assertThat(wrong).isEmpty();
        assertThat(families).hasSize(26);
        assertThat(checked).isEqualTo(26 * 174 + 8 * 87);
    }

    @Test
    void textsAreThoseOfHuggingFaceAndPiecesJoinToThem() throws Exception {
        Map<String, List<String>> wrong = new LinkedHashMap<>();
        Map<String, String> notStreaming = new LinkedHashMap<>();
        int checked = 0;
        for (String family : families) {
            try (Tokenizer tokenizer = open(family)) {
                for (JsonNode line : cases(family)) {
                    if (line.has("skip_special_tokens")) {
                        boolean skip = line.get("skip_special_tokens").asBoolean();
                        String text = line.get("text").asText();
                        check(tokenizer.decode(ids(line), skip).equals(text), family, line, wrong);
                        IncrementalDetokenizer detokenizer = tokenizer.newDetokenizer(skip);
                        if (!(detokenizer instanceof StreamingDetokenizer)) {
                            notStreaming.put(family, detokenizer.getClass().getSimpleName());
                        }
                        check(joined(detokenizer, ids(line)).equals(text), family, line, wrong);
                        checked++;
                    }
                }
            }
        }
        assertThat(wrong).isEmpty();
        assertThat(notStreaming).isEqualTo(Map.of("regex_decoder", "WholeDetokenizer"));
        assertThat(checked).isGreaterThan(8000);
    }

    /** Where the text has no U+FFFD, which several malformed bytes may have become. */
    @Test
    void bytesOfTokensJoinToTheTextsOfHuggingFace() throws Exception {
        Map<String, List<String>> wrong = new LinkedHashMap<>();
        List<String> without = new ArrayList<>();
        int checked = 0;
        for (String family : families) {
            try (Tokenizer tokenizer = open(family)) {
                if (tokenizer.tokenBytes().isEmpty()) {
                    without.add(family);
                    continue;
                }
                TokenBytes tokens = tokenizer.tokenBytes().get();
                for (JsonNode line : cases(family)) {
                    String text = line.get("text").asText();
                    if (line.path("skip_special_tokens").asBoolean() && text.indexOf('\uFFFD') < 0) {
                        String joined = joined(tokens, ids(line));
                        check(
                                joined.equals(text)
                                        || CleanUp.transformers(joined).equals(text),
                                family,
                                line,
                                wrong);
                        checked++;
                    }
                }
            }
        }
        assertThat(wrong).isEmpty();
        assertThat(without).containsExactlyInAnyOrder("char_bpe", "ctc", "stripped", "regex_decoder");
        assertThat(checked).isGreaterThan(2000);
    }

    private static String joined(TokenBytes tokens, int[] ids) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        boolean first = true;
        for (int id : ids) {
            Optional<byte[]> token = first ? tokens.first(id) : tokens.of(id);
            bytes.writeBytes(token.orElse(new byte[0]));
            first &= token.isEmpty();
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }

    /** Also tells that what {@code pending} says is the end that would come if this token were the last. */
    private static String joined(IncrementalDetokenizer detokenizer, int[] ids) {
        StringBuilder text = new StringBuilder();
        for (int k = 0; k < ids.length; k++) {
            text.append(detokenizer.add(ids[k]));
        }
        String pending = detokenizer.pending();
        boolean whole = !detokenizer.hasUnfinishedCharacter();
        String rest = detokenizer.finish(false);
        assertThat(whole ? rest : pending).isEqualTo(pending);
        return text.append(rest).toString();
    }

    private static void check(boolean right, String family, JsonNode line, Map<String, List<String>> wrong) {
        if (!right) {
            wrong.computeIfAbsent(family, name -> new ArrayList<>()).add(line.toString());
        }
    }

    private static int[] ids(JsonNode line) {
        return MAPPER.convertValue(line.get("ids"), int[].class);
    }

    private static Tokenizer open(String family) {
        return HuggingFaceTokenizer.open(folder.resolve("out").resolve(family).resolve("tokenizer.json"));
    }

    private static List<JsonNode> cases(String family) throws Exception {
        List<JsonNode> lines = new ArrayList<>();
        for (String line :
                Files.readAllLines(folder.resolve("out").resolve(family).resolve("cases.jsonl"))) {
            lines.add(MAPPER.readTree(line));
        }
        return lines;
    }
}
