package io.kindling.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import io.kindling.engine.text.Tokenizer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TokenizerLoadTest {
    @TempDir
    private Path folder;

    private Path write(String json) throws IOException {
        return Files.writeString(folder.resolve("tokenizer.json"), json);
    }

    @Test
    void givesTheSameTokenizerEachTimeAndClosesIt() throws IOException {
        Path file = write("""
                {"version": "1.0", "added_tokens": [], "pre_tokenizer": {"type": "Whitespace"},
                 "model": {"type": "WordLevel", "vocab": {"[UNK]": 0, "one": 1, "two": 2}, "unk_token": "[UNK]"}}""");
        TokenizerLoad load = TokenizerLoad.begin(file);
        Tokenizer tokenizer = load.get();
        assertThat(tokenizer.encode("two one three", false)).containsExactly(2, 1, 0);
        assertThat(load.get()).isSameAs(tokenizer);
        load.close();
        assertThatThrownBy(() -> tokenizer.encode("two", false)).isInstanceOf(RuntimeException.class);
    }

    @Test
    void aFaultIsToldToWhoWantsTheTokenizerAndNotToWhoClosesIt() throws IOException {
        try (TokenizerLoad load = TokenizerLoad.begin(write("<html>"))) {
            assertThatThrownBy(load::get)
                    .isInstanceOfSatisfying(KindlingException.class, problem -> assertThat(problem.code())
                            .isEqualTo(ErrorCode.TOKENIZER))
                    .hasMessageContaining("tokenizer.json");
        }
    }
}
