package io.kindling.engine.text;

import com.code_intelligence.jazzer.junit.DictionaryFile;
import com.code_intelligence.jazzer.junit.FuzzTest;
import com.code_intelligence.jazzer.junit.Lifecycle;
import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import io.kindling.engine.testing.Untrusted;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.params.provider.MethodSource;

/** What we read of {@code tokenizer.json} before the native library sees it: see docs/fuzzing.md. */
class TokenizerFileFuzzTest {
    private static final List<String> DECODERS = List.of(
            "{\"type\":\"ByteLevel\"}",
            "{\"type\":\"WordPiece\",\"prefix\":\"##\",\"cleanup\":true}",
            "{\"type\":\"Metaspace\",\"replacement\":\"_\",\"prepend_scheme\":\"always\"}",
            "{\"type\":\"Sequence\",\"decoders\":[{\"type\":\"Replace\",\"pattern\":{\"Regex\":\"a+\"},\"content\":\" \"},"
                    + "{\"type\":\"ByteFallback\"},{\"type\":\"Fuse\"},"
                    + "{\"type\":\"Strip\",\"content\":\" \",\"start\":1,\"stop\":0}]}");

    @MethodSource("seeds")
    @DictionaryFile(resourcePath = "tokenizer.dict")
    @FuzzTest(maxDuration = Untrusted.BOUNDED, lifecycle = Lifecycle.PER_TEST)
    void anyTokenizerIsReadOrRefused(byte[] input) throws Exception {
        Untrusted.read(() -> parse(input));
    }

    private static List<byte[]> seeds() {
        return DECODERS.stream().map(TokenizerFileFuzzTest::tokenizer).toList();
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
