package io.kindling.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TemplateCommandTest {
    @TempDir
    private Path folder;

    @Test
    void linesAreRenderedInOrderAndBadOnesAnswerAnError() throws IOException {
        Path cases = folder.resolve("cases.jsonl");
        Files.writeString(cases, """
                {"template": "{{ bos_token }}{{ messages[0].content }}{% if add_generation_prompt %}!{% endif %}", "messages": [{"role": "user", "content": "Hi"}], "bos_token": "<s>", "kwargs": {"add_generation_prompt": true}}
                {"template": "{{ messages[0].content }}{% if add_generation_prompt %}!{% endif %}", "messages": [{"role": "user", "content": "Hi"}]}
                {"template": "{{ strftime_now('%Y-%m-%d') }}", "messages": [], "now": "2024-02-29T01:02:03"}
                {"template": "{{ raise_exception('no tools') }}", "messages": []}
                {"template": "{% if %}", "messages": []}
                {"messages": []}
                """);

        CommandRun run = CommandRun.of("template", "--cases", cases);

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.outLines()).hasSize(6);
        assertThat(run.outLines().subList(0, 3))
                .containsExactly("{\"rendered\":\"<s>Hi!\"}", "{\"rendered\":\"Hi\"}", "{\"rendered\":\"2024-02-29\"}");
        assertThat(run.outLines().get(3)).contains("\"error\"", "no tools");
        assertThat(run.outLines().get(4)).contains("\"error\"", "line 1");
        assertThat(run.outLines().get(5)).contains("a line without a template has no chat template");
    }
}
