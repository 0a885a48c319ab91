package io.kindling.engine.embed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import io.kindling.engine.text.HuggingFaceTokenizer;
import io.kindling.engine.text.Tokenizer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EncoderInputTest {
    @TempDir
    private Path folder;

    @Test
    void aTextWithoutTokensIsAFaultOfTheText() throws IOException {
        Path file = Files.writeString(folder.resolve("tokenizer.json"), """
                {"version": "1.0", "added_tokens": [], "pre_tokenizer": {"type": "WhitespaceSplit"},
                 "model": {"type": "WordLevel", "vocab": {"[UNK]": 0, "a": 1}, "unk_token": "[UNK]"}}
                """);
        try (Tokenizer tokenizer = HuggingFaceTokenizer.open(file)) {
            EncoderInput.Maker maker = new EncoderInput.Maker(tokenizer, OptionalInt.of(8));
            assertThat(maker.make("a b", 0).ids()).containsExactly(1, 0);
            assertThatThrownBy(() -> maker.make("  ", 0))
                    .isInstanceOfSatisfying(KindlingException.class, fault -> assertThat(fault.code())
                            .isEqualTo(ErrorCode.TOKENIZER))
                    .hasMessageContaining("the text has no tokens");
        }
    }
}
