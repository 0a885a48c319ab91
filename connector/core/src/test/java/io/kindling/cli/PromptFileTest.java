package io.kindling.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.kindling.engine.GenerationRequest.Prompt;
import io.kindling.engine.Message;
import io.kindling.engine.OptionTable;
import io.kindling.engine.OptionValues;
import io.kindling.engine.Options;
import io.kindling.engine.PromptOptions;
import io.kindling.engine.error.OptionException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PromptFileTest {
    private static final OptionValues DEFAULTS = OptionTable.standard().parse(Map.of("temperature", 1));

    @TempDir
    private Path folder;

    private Path file;

    @BeforeEach
    void nameFile() {
        file = folder.resolve("prompts.jsonl");
    }

    private List<PromptFile.Row> read() {
        return new PromptFile(DEFAULTS, 3).read(file);
    }

    @Test
    void everyKindOfLineBecomesARequest() throws IOException {
        Files.writeString(file, """
                {"id": "a", "prompt": "Hello", "package": "data of the caller"}
                {"id": 7, "prompt_ids": [1, 2], "force_ids": [3], "options": {"maxNewTokens": 5}}

                {"messages": [{"role": "user", "content": "Hi", "extra": [1]}]}
                """);

        List<PromptFile.Row> rows = read();

        assertThat(rows).extracting(row -> row.id().toString()).containsExactly("\"a\"", "7", "2");
        assertThat(rows).extracting(row -> row.request().id()).containsExactly("a", "7", "2");
        assertThat(rows)
                .extracting(row -> row.request().prompt())
                .containsExactly(
                        new Prompt.Text("Hello"),
                        new Prompt.Ids(List.of(1, 2)),
                        new Prompt.Chat(
                                List.of(new Message(Map.of("role", "user", "content", "Hi", "extra", List.of(1)))),
                                DEFAULTS.prompt()));
        assertThat(rows.get(1).request().forceIds()).containsExactly(3);
        assertThat(rows.get(1).request().options())
                .isEqualTo(DEFAULTS.with(Options.MAX_NEW_TOKENS, 5).generation());
        assertThat(rows).allSatisfy(row -> assertThat(row.request().topLogits()).isEqualTo(3));
    }

    @Test
    void chatMakesPromptsUserMessagesAfterTheSystemMessage() throws IOException {
        Files.writeString(file, """
                {"prompt": "Hello", "options": {"chat": true}}
                {"prompt": "Hello", "options": {"system": "Be brief"}}
                {"messages": [{"role": "user", "content": "Hello"}], "options": {"system": "Be brief"}}
                {"messages": [{"role": "system", "content": "Be long"}], "options": {"system": "Be brief"}}
                """);

        assertThat(read())
                .extracting(row -> ((Prompt.Chat) row.request().prompt()).messages())
                .containsExactly(
                        List.of(Message.of("user", "Hello")),
                        List.of(Message.of("system", "Be brief"), Message.of("user", "Hello")),
                        List.of(Message.of("system", "Be brief"), Message.of("user", "Hello")),
                        List.of(Message.of("system", "Be long")));
    }

    @Test
    void aLinesToolsAndDocumentsGoBeforeThoseOfTheOptions() throws IOException {
        Files.writeString(file, """
                {"messages": [], "tools": [{"name": "f"}], "documents": [{"title": "t"}], "options": {"tools": "[{\\"name\\": \\"g\\"}]"}}
                {"messages": [], "options": {"tools": [{"name": "g"}], "template_kwargs": {"k": [1, null]}, "enable_thinking": false}}
                """);

        List<PromptOptions> options = read().stream()
                .map(row -> ((Prompt.Chat) row.request().prompt()).options())
                .toList();

        assertThat(options.get(0).tools()).containsExactly(Map.of("name", "f"));
        assertThat(options.get(0).documents()).containsExactly(Map.of("title", "t"));
        assertThat(options.get(1).tools()).containsExactly(Map.of("name", "g"));
        assertThat(options.get(1).templateKwargs()).isEqualTo(Map.of("k", Arrays.asList(1, null)));
        assertThat(options.get(1).enableThinking()).isEqualTo(PromptOptions.Thinking.FALSE);
    }

    @Test
    void badLinesAreReportedTogetherWithTheirNumbers() throws IOException {
        Files.writeString(file, """
                {"prompt": "a", "options": {"temprature": 1, "max_batch": 2}}
                {"prompt": "a", "prompt_ids": [1]}
                {"prompt_ids": [1.5]}
                {"prompt": null}
                {"messages": [1]}
                {"messages": [], "tools": {}, "options": {"continue_final_message": true, "add_generation_prompt": true}}
                """);

        OptionException refused = catchThrowableOfType(OptionException.class, () -> read());

        assertThat(refused.problems())
                .containsExactly(
                        file + ": line 1: unknown option 'temprature', did you mean 'temperature'?",
                        file + ": line 1: option 'max_batch' cannot be given here: it is one of the engine options",
                        file + ": line 2: exactly one of 'prompt', 'prompt_ids' and 'messages' must be given, not 2",
                        file + ": line 3: 'prompt_ids' must hold token ids, not 1.5",
                        file + ": line 4: exactly one of 'prompt', 'prompt_ids' and 'messages' must be given, not 0",
                        file + ": line 5: 'messages' must hold objects, not 1",
                        file
                                + ": line 6: options 'continue_final_message' and 'add_generation_prompt' exclude each other:"
                                + " the answer goes on with the last message or begins one of its own");
    }
}
