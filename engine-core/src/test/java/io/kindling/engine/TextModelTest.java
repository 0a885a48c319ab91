package io.kindling.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.kindling.engine.GenerationRequest.Prompt;
import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** None of these packages has a graph. The oracle of chats.jsonl is transformers; see src/test/python/make_chats.py. */
class TextModelTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    private Path folder;

    private static InputStream resource(String name) {
        return TextModelTest.class.getResourceAsStream("text/" + name);
    }

    @SuppressWarnings("unchecked") // keys of JSON objects are texts
    private static Map<String, Object> map(JsonNode object) {
        return JSON.convertValue(object, Map.class);
    }

    private Path write(String packageName, String tokenizer, Map<String, Object> files) throws IOException {
        Path root = folder.resolve(packageName);
        Files.createDirectories(root);
        try (InputStream json = resource(tokenizer + ".json")) {
            Files.copy(json, root.resolve("tokenizer.json"));
        }
        for (Map.Entry<String, Object> file : files.entrySet()) {
            Path path = root.resolve(file.getKey());
            Files.createDirectories(path.getParent());
            Files.writeString(path, (String) file.getValue());
        }
        return root;
    }

    private static Prompt prompt(JsonNode line) {
        return OptionTable.standard()
                .parse(map(line.get("options")))
                .prompt()
                .conversation(Message.parse(line.get("messages").toString()));
    }

    @Test
    void conversationsBecomeTheTextAndIdsThatTransformersMakes() throws IOException {
        List<String> lines;
        try (InputStream chats = resource("chats.jsonl")) {
            lines = new String(chats.readAllBytes(), java.nio.charset.StandardCharsets.UTF_8)
                    .lines()
                    .toList();
        }
        Map<String, TextModel> models = new HashMap<>();
        SoftAssertions all = new SoftAssertions();
        int rendered = 0;
        int refused = 0;
        for (String text : lines) {
            JsonNode line = JSON.readTree(text);
            String name = line.get("package").textValue();
            if (line.has("files")) {
                models.put(
                        name, TextModel.open(write(name, line.get("tokenizer").textValue(), map(line.get("files")))));
                continue;
            }
            TextModel model = models.get(name);
            String label = name + ' ' + line.get("options") + ' ' + line.get("messages");
            if (line.has("error")) {
                refused++;
                all.assertThatThrownBy(() -> model.render(prompt(line)))
                        .as(label)
                        .isInstanceOfSatisfying(KindlingException.class, fault -> assertThat(fault.code())
                                .isEqualTo(ErrorCode.TEMPLATE));
            } else {
                rendered++;
                all.assertThatCode(() -> {
                            assertThat(model.render(prompt(line)))
                                    .isEqualTo(line.get("rendered").textValue());
                            List<Integer> ids = new ArrayList<>();
                            line.get("ids").forEach(id -> ids.add(id.intValue()));
                            assertThat(model.encode(prompt(line)))
                                    .isEqualTo(ids.stream().mapToInt(i -> i).toArray());
                        })
                        .as(label)
                        .doesNotThrowAnyException();
            }
        }
        models.values().forEach(TextModel::close);
        all.assertAll();
        assertThat(rendered).isGreaterThan(60);
        assertThat(refused).isGreaterThan(10);
    }

    @Test
    void rawTextIsEncodedWithTheTokenizersOwnSpecials() throws IOException {
        Path root = write("raw", "bytelevel", Map.of("tokenizer_config.json", "{\"bos_token\": \"<|begin|>\"}"));
        try (TextModel model = TextModel.open(root)) {
            int[] ids = model.encode(new Prompt.Text("ships"));
            assertThat(model.tokenizer().decode(ids, false)).isEqualTo("<|begin|>ships");
            assertThat(model.render(new Prompt.Text("ships"))).isEqualTo("ships");
            assertThat(model.encode(new Prompt.Ids(List.of(5, 6)))).containsExactly(5, 6);
        }
    }

    @Test
    void anEmptyTextHasAsManyTokensAsGenerationBeginsWith() throws IOException {
        try (TextModel begins = TextModel.open(
                write("begins", "bytelevel", Map.of("tokenizer_config.json", "{\"bos_token\": \"<|begin|>\"}")))) {
            assertThat(begins.count(new Prompt.Text(""))).isEqualTo(begins.encode(new Prompt.Text("")).length);
        }
        try (TextModel bare = TextModel.open(write("nothing", "bytelevel", Map.of("tokenizer_config.json", "{}")))) {
            assertThat(bare.count(new Prompt.Ids(List.of()))).isZero();
            assertThatThrownBy(() -> bare.encode(new Prompt.Ids(List.of()))).hasMessageContaining("no tokens");
        }
    }

    @Test
    void whatIsMissingIsNamed() {
        assertThatThrownBy(() -> TextModel.open(folder.resolve("nowhere")))
                .isInstanceOf(KindlingException.class)
                .hasMessageContaining("there is no model");
        try (TextModel empty = TextModel.open(folder)) {
            Prompt chat = PromptOptions.defaults().conversation(List.of(Message.of("user", "x")));
            assertThatThrownBy(() -> empty.render(chat)).hasMessageContaining("has no chat template");
            assertThatThrownBy(() -> empty.encode(new Prompt.Text("x"))).hasMessageContaining("has no tokenizer.json");
        }
    }

    @Test
    void templatesOfOtherPlacesAreFoundAndNamed() throws IOException {
        Path root = write(
                "legacy",
                "bytelevel",
                Map.of("chat_template.json", "{\"chat_template\": \"{{ messages[0].content }}!\"}"));
        try (TextModel model = TextModel.open(root)) {
            Prompt chat = PromptOptions.defaults().conversation(List.of(Message.of("user", "x")));
            assertThat(model.render(chat)).isEqualTo("x!");
            Prompt unknown = OptionTable.standard()
                    .parse(Map.of("chat_template", "tool_use"))
                    .prompt()
                    .conversation(List.of(Message.of("user", "x")));
            assertThatThrownBy(() -> model.render(unknown))
                    .hasMessageContaining("has no template named 'tool_use'; its templates are default");
        }
        Path broken = write(
                "broken",
                "bytelevel",
                Map.of("tokenizer_config.json", "{\"chat_template\": [{\"name\": \"default\"}]}"));
        assertThatThrownBy(() -> TextModel.open(broken)).hasMessageContainingAll("chat_template", "{name, template}");
    }

    @Test
    void messagesAreAJsonArrayOfObjects() {
        assertThat(Message.parse("[{\"role\": \"user\", \"content\": [1, null]}]"))
                .hasSize(1)
                .first()
                .extracting(message -> message.fields().keySet())
                .hasToString("[role, content]");
        for (String other : List.of("{}", "[1]", "[null]", "null", "", "[] []", "[{")) {
            assertThatThrownBy(() -> Message.parse(other))
                    .as(other)
                    .isInstanceOfSatisfying(KindlingException.class, fault -> assertThat(fault.code())
                            .isEqualTo(ErrorCode.TEMPLATE));
        }
    }
}
