package io.kindling.engine.text;

import static org.assertj.core.api.Assertions.assertThat;

import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import io.kindling.engine.testing.MutationFuzzer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What we read of {@code tokenizer.json} before the native library sees it: see docs/fuzzing.md. */
class TokenizerFileFuzzTest {
    private static final List<String> WORDS = List.of(
            "{",
            "}",
            "[",
            "]",
            ":",
            ",",
            "\"",
            "null",
            "true",
            "1e999",
            "-1",
            "0.5",
            "\\u0000",
            "\\ud800",
            "\"type\":",
            "\"content\":",
            "\"id\":",
            "Sequence",
            "decoders",
            "Replace",
            "Regex",
            "(a*)*b",
            "ByteFallback",
            "Fuse",
            "Strip",
            "Metaspace",
            "WordPiece",
            "CTC",
            "BPEDecoder",
            "ByteLevel",
            "prefix",
            "pattern",
            "String",
            "start",
            "stop");

    private static final List<String> DECODERS = List.of(
            "{\"type\":\"ByteLevel\"}",
            "{\"type\":\"WordPiece\",\"prefix\":\"##\",\"cleanup\":true}",
            "{\"type\":\"Metaspace\",\"replacement\":\"_\",\"prepend_scheme\":\"always\"}",
            "{\"type\":\"Sequence\",\"decoders\":[{\"type\":\"Replace\",\"pattern\":{\"Regex\":\"a+\"},\"content\":\" \"},"
                    + "{\"type\":\"ByteFallback\"},{\"type\":\"Fuse\"},"
                    + "{\"type\":\"Strip\",\"content\":\" \",\"start\":1,\"stop\":0}]}");

    @Test
    void anyTokenizerIsReadOrRefused() {
        List<byte[]> seeds =
                DECODERS.stream().map(TokenizerFileFuzzTest::tokenizer).toList();
        assertThat(MutationFuzzer.fuzz("tokenizer", TokenizerFileFuzzTest::parse, seeds, WORDS))
                .isGreaterThan(seeds.size());
    }

    private static byte[] tokenizer(String decoder) {
        return ("{\"added_tokens\":[{\"id\":1,\"content\":\"</s>\",\"special\":true}],\"normalizer\":null,\"decoder\":"
                        + decoder + ",\"model\":{\"type\":\"BPE\",\"vocab\":{\"a\":0,\"</s>\":1},\"merges\":[]}}")
                .getBytes(StandardCharsets.UTF_8);
    }

    /** As {@link HuggingFaceTokenizer} takes what the parser refuses. */
    private static void parse(byte[] input) {
        try {
            TokenizerFile file = TokenizerFile.parse(new String(input, StandardCharsets.UTF_8));
            Decoders.steps(file.decoder(), true);
            new TokenNames(file.vocabulary(), file.addedTokens());
        } catch (IOException malformed) {
            throw new KindlingException(ErrorCode.TOKENIZER, malformed.getMessage(), malformed);
        }
    }
}
