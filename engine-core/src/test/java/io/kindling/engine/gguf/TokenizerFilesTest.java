package io.kindling.engine.gguf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.ModelException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TokenizerFilesTest {
    private static final String KEY = "tokenizer.ggml.";

    @TempDir
    private Path folder;

    private static GgufBytes byteLevel() {
        return new GgufBytes()
                .put("general.architecture", "llama")
                .put(KEY + "model", "gpt2")
                .put(KEY + "pre", "gpt-2")
                .put(KEY + "tokens", List.of("<|im_end|>", "a", "b", "ab", "[PAD4]", "[PAD4]"))
                .put(KEY + "token_type", List.of(3, 1, 1, 1, 5, 5))
                .put(KEY + "merges", List.of("a b"))
                .put(KEY + "eos_token_id", 0);
    }

    private static GgufBytes sentencePiece() {
        return new GgufBytes()
                .put("general.architecture", "llama")
                .put(KEY + "model", "llama")
                .put(KEY + "tokens", List.of("<unk>", "<s>", "</s>", "a", "b", "ab"))
                .put(KEY + "token_type", List.of(2, 3, 3, 1, 1, 1))
                .put(KEY + "scores", List.of(0f, 0f, 0f, -2f, -3f, -1f))
                .put(KEY + "bos_token_id", 1)
                .put(KEY + "eos_token_id", 2);
    }

    private TokenizerFiles of(GgufBytes bytes, Optional<String> pre) throws IOException {
        return TokenizerFiles.of(GgufReader.read(Files.write(folder.resolve("m.gguf"), bytes.build())), 64, 2048, pre);
    }

    private TokenizerFiles of(GgufBytes bytes) throws IOException {
        return of(bytes, Optional.empty());
    }

    private void refuses(GgufBytes bytes, ErrorCode code, String message) {
        assertThatThrownBy(() -> of(bytes))
                .isInstanceOfSatisfying(
                        ModelException.class, e -> assertThat(e.code()).isEqualTo(code))
                .hasMessageContaining(message);
    }

    private void invalid(GgufBytes bytes, String message) {
        refuses(bytes, ErrorCode.MODEL_INVALID, message);
    }

    @Test
    void rowsWithoutATokenAreNoTokens() throws IOException {
        JsonNode vocabulary = of(byteLevel()).tokenizer().at("/model/vocab");
        assertThat(vocabulary.size()).isEqualTo(4);
        assertThat(vocabulary.has("[PAD4]")).isFalse();
    }

    @Test
    void aSplittingThatIsNotKnownIsRefusedUnlessOneIsNamed() throws IOException {
        GgufBytes unknown = byteLevel().put(KEY + "pre", "odd");
        refuses(unknown, ErrorCode.UNSUPPORTED, "metadata tokenizer.ggml.pre: is 'odd', which is not known");
        refuses(unknown, ErrorCode.UNSUPPORTED, "--pre-tokenizer");
        refuses(byteLevel().remove(KEY + "pre"), ErrorCode.UNSUPPORTED, "metadata tokenizer.ggml.pre: is missing");
        assertThat(of(unknown, Optional.of("qwen2")).tokenizer())
                .isEqualTo(of(byteLevel().put(KEY + "pre", "qwen2")).tokenizer());
    }

    @Test
    void otherKindsAreRefusedByName() {
        for (String model : List.of("rwkv", "plamo2", "hybriddna", "whitespace", "none")) {
            refuses(
                    byteLevel().put(KEY + "model", model),
                    ErrorCode.UNSUPPORTED,
                    "metadata tokenizer.ggml.model: is '" + model + "'");
        }
    }

    @Test
    void damagedListsAreRefusedByTheirKey() {
        invalid(byteLevel().put(KEY + "merges", List.of("a c")), "tokenizer.ggml.merges: 'a c' does not join");
        invalid(byteLevel().put(KEY + "merges", List.of("ab")), "tokenizer.ggml.merges: 'ab' does not join");
        invalid(byteLevel().put(KEY + "merges", List.of(1)), "tokenizer.ggml.merges: is no list of strings");
        invalid(byteLevel().put(KEY + "merges", "a b"), "tokenizer.ggml.merges: is a String");
        invalid(byteLevel().remove(KEY + "merges"), "tokenizer.ggml.merges: is missing");
        invalid(byteLevel().put(KEY + "tokens", List.of(1, 2)), "tokenizer.ggml.tokens: is no list of strings");
        invalid(byteLevel().remove(KEY + "tokens"), "tokenizer.ggml.tokens: is missing");
        invalid(
                byteLevel().put(KEY + "tokens", List.of("a", "b", "ab", "b", "e", "f")),
                "tokenizer.ggml.tokens: has 'b' twice, as 1 and 3");
        invalid(byteLevel().put(KEY + "token_type", List.of(1)), "tokenizer.ggml.token_type: has 1 entries for 6");
        invalid(
                byteLevel().put(KEY + "token_type", List.of("a", "a", "a", "a", "a", "a")),
                "tokenizer.ggml.token_type: is no list of finite numbers: entry 0 is a");
        invalid(byteLevel().put(KEY + "eos_token_id", 6), "tokenizer.ggml.eos_token_id: is 6, but there are 6 tokens");
        invalid(byteLevel().put(KEY + "eos_token_id", "0"), "tokenizer.ggml.eos_token_id: is a String");
        invalid(sentencePiece().remove(KEY + "scores"), "tokenizer.ggml.scores: is missing");
        invalid(sentencePiece().put(KEY + "scores", List.of(1f)), "tokenizer.ggml.scores: has 1 entries for 6 tokens");
        invalid(
                sentencePiece().put(KEY + "scores", List.of(0f, 0f, 0f, Float.NaN, 0f, 0f)),
                "tokenizer.ggml.scores: is no list of finite numbers: entry 3 is NaN");
        invalid(
                sentencePiece().put(KEY + "model", "t5").put(KEY + "precompiled_charsmap", List.of(1, 256)),
                "tokenizer.ggml.precompiled_charsmap: is no list of bytes: entry 1 is 256");
    }

    @Test
    void textsThatAreNoUtf8AreRefused() throws IOException {
        byte[] bytes = byteLevel()
                .put(KEY + "tokens", List.of("<|im_end|>", "a", "b", "ab", "\u00E9", "f"))
                .build();
        for (int i = 0; i + 1 < bytes.length; i++) {
            if (bytes[i] == (byte) 0xC3 && bytes[i + 1] == (byte) 0xA9) {
                bytes[i] = (byte) 0xFF;
            }
        }
        Path file = Files.write(folder.resolve("m.gguf"), bytes);
        assertThatThrownBy(() -> GgufReader.read(file))
                .isInstanceOfSatisfying(
                        ModelException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.MODEL_INVALID))
                .hasMessageContaining("tokenizer.ggml.tokens at offset")
                .hasMessageContaining("is not valid UTF-8");
    }

    @Test
    void moreTokensThanRowsOrLongerThanAnyAreRefused() {
        List<String> tokens =
                new ArrayList<>(IntStream.range(0, 65).mapToObj(id -> "t" + id).toList());
        invalid(byteLevel().put(KEY + "tokens", tokens), "tokenizer.ggml.tokens: has 65 entries, expected 1 to 64");
        invalid(
                sentencePiece().put(KEY + "tokens", List.of("<unk>", "<s>", "</s>", "a", "b", "a".repeat(2000))),
                "tokenizer.ggml.tokens: has a token of 2000 characters as 5");
    }

    @Test
    void controlTokensWithTheNamesOfEndsEndTexts() throws IOException {
        List<String> tokens = List.of("<|endoftext|>", "a", "<|eot_id|>", "<|end|>", "<end_of_turn>", "x");
        GgufBytes file = byteLevel()
                .put(KEY + "tokens", tokens)
                .put(KEY + "token_type", List.of(3, 1, 3, 3, 1, 3))
                .put(KEY + "merges", List.of("a a"))
                .put(KEY + "eot_token_id", 5);
        file.put(KEY + "tokens", List.of("<|endoftext|>", "a", "<|eot_id|>", "<|end|>", "<end_of_turn>", "aa"));
        assertThat(of(file).tokens().stops()).containsExactlyInAnyOrder(0, 2, 3, 5);
        file.put(KEY + "tokens", List.of("<|return|>", "a", "<|call|>", "<|end|>", "<end_of_turn>", "aa"));
        assertThat(of(file).tokens().stops()).containsExactlyInAnyOrder(0, 2, 5);
    }

    @Test
    void oneTemplateIsAFileSeveralAreNamed() throws IOException {
        GgufBytes file = byteLevel().put("tokenizer.chat_template", "plain");
        TokenizerFiles one = of(file);
        one.write(folder);
        assertThat(folder.resolve("chat_template.jinja")).hasContent("plain");
        assertThat(one.settings().has("chat_template")).isFalse();
        Files.delete(folder.resolve("chat_template.jinja"));

        TokenizerFiles several = of(file.put("tokenizer.chat_template.tool_use", "tools")
                .put("tokenizer.chat_templates", List.of("tool_use")));
        several.write(folder);
        assertThat(folder.resolve("chat_template.jinja")).doesNotExist();
        assertThat(several.settings().get("chat_template").toString())
                .isEqualTo(
                        "[{\"name\":\"default\",\"template\":\"plain\"},{\"name\":\"tool_use\",\"template\":\"tools\"}]");
    }

    @Test
    void phi3sChatTokensTakeTheSpaceBehindThem() throws IOException {
        GgufBytes file = sentencePiece()
                .put("general.architecture", "phi3")
                .put(KEY + "tokens", List.of("<unk>", "<s>", "</s>", "a", "<|endoftext|>", "<|user|>"))
                .put(KEY + "token_type", List.of(2, 3, 4, 1, 3, 3));
        JsonNode added = of(file).tokenizer().get("added_tokens");
        Stream<JsonNode> taking = added.findParents("rstrip").stream()
                .filter(token -> token.get("rstrip").asBoolean());
        assertThat(taking.map(token -> token.get("content").asText())).containsExactly("</s>", "<|user|>");
    }
}
