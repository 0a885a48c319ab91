package io.kindling.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TokenizeCommandTest {
    @TempDir
    private Path folder;

    /** Whole words, id 0 for unknown ones; the post-processor puts {@code <s>} first. */
    @BeforeEach
    void writeTokenizer() throws IOException {
        Files.writeString(folder.resolve("tokenizer.json"), """
                {"version": "1.0", "truncation": null, "padding": null, "normalizer": null,
                 "added_tokens": [{"id": 1, "content": "<s>", "single_word": false, "lstrip": false, "rstrip": false,
                   "normalized": false, "special": true}],
                 "pre_tokenizer": {"type": "Whitespace"},
                 "post_processor": {"type": "TemplateProcessing",
                   "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
                   "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
                   "special_tokens": {"<s>": {"id": "<s>", "ids": [1], "tokens": ["<s>"]}}},
                 "decoder": null,
                 "model": {"type": "WordLevel", "unk_token": "[UNK]", "vocab": {"[UNK]": 0, "<s>": 1, "red": 2, "fox": 3}}}
                """);
    }

    @Test
    void linesAreAnsweredInOrderAndBadOnesWithAnError() throws IOException {
        Path cases = folder.resolve("cases.jsonl");
        Files.writeString(cases, """
                {"text": "red fox", "add_special_tokens": true}
                {"text": "fox blue", "add_special_tokens": false}

                {"text": "", "add_special_tokens": false}
                {"ids": [1, 3, 2], "skip_special_tokens": true}
                {"ids": [1, 3], "skip_special_tokens": false}
                {"ids": [1, "x"]}
                {"words": 1}
                """);

        CommandRun run = CommandRun.of("tokenize", folder, "--cases", cases);

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.outLines())
                .containsExactly(
                        "{\"ids\":[1,2,3]}",
                        "{\"ids\":[3,0]}",
                        "{\"ids\":[]}",
                        "{\"text\":\"fox red\"}",
                        "{\"text\":\"<s> fox\"}",
                        "{\"error\":\"'ids' must hold token ids, not \\\"x\\\"\"}",
                        "{\"error\":\"'text' must be a string, not absent\"}");
    }

    @Test
    void theGraphsFileAndUrisNameTheModelToo() throws IOException {
        Path cases = Files.writeString(folder.resolve("cases.jsonl"), "{\"text\": \"red\"}\n");
        Path graph = Files.createFile(folder.resolve("model.onnx"));

        for (Object named :
                List.of(folder.toUri(), folder.resolve("tokenizer.json").toUri(), graph, graph.toUri())) {
            CommandRun run = CommandRun.of("tokenize", named, "--cases", cases.toUri());
            assertThat(run.outLines()).as(named + run.err()).containsExactly("{\"ids\":[1,2]}");
        }
    }

    @Test
    void aMissingTokenizerIsNamed() throws IOException {
        Path cases = Files.writeString(folder.resolve("cases.jsonl"), "{\"text\": \"a\"}\n");
        Path missing = folder.resolve("nowhere").resolve("tokenizer.json");

        CommandRun noTokenizer = CommandRun.of("tokenize", missing, "--cases", cases);

        assertThat(noTokenizer.exitCode()).isEqualTo(1);
        assertThat(noTokenizer.err()).startsWith("kindling: TOKENIZER: ").contains(missing.toString());
    }

    @Test
    void aBrokenLineCostsNoOtherItsAnswer() throws IOException {
        Path cases = folder.resolve("cases.jsonl");
        Files.writeString(cases, "\uFEFF{\"text\": \"red\"}\r\n{\"text\": \n[1]\n{\"ids\": [3]}\n");

        CommandRun run = CommandRun.of("tokenize", folder, "--cases", cases);

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.outLines()).hasSize(4);
        assertThat(run.outLines().get(0)).isEqualTo("{\"ids\":[1,2]}");
        assertThat(run.outLines().get(1)).startsWith("{\"error\":\"line 2: ");
        assertThat(run.outLines().get(2)).isEqualTo("{\"error\":\"line 3: a JSON object is expected\"}");
        assertThat(run.outLines().get(3)).isEqualTo("{\"text\":\"fox\"}");
    }

    @Test
    void whatIsNoUtf8IsNamed() throws IOException {
        Path cases = Files.write(folder.resolve("cases.jsonl"), new byte[] {'{', (byte) 0xC3, '}'});

        CommandRun run = CommandRun.of("tokenize", folder, "--cases", cases);

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err()).contains(cases + ": is no UTF-8 text");
    }
}
