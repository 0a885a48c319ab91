package io.kindling.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kindling.engine.error.OptionException;
import io.kindling.spark.runtime.FakeEngines;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.functions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * The package has a tokenizer that splits at blanks, a template, and a graph that is none: whoever loads it fails. A message
 * without content, as a NULL makes it, is one that this template cannot write.
 */
class PromptFunctionsTest {
    private static final String CHAT =
            "array(named_struct('role', 'system', 'content', 'be brief'), named_struct('role', 'user', 'content', q))";

    @RegisterExtension
    static final LocalSpark SPARK = new LocalSpark();

    @TempDir
    Path model;

    @BeforeEach
    void packageAndTable() throws IOException {
        Files.writeString(model.resolve("model.onnx"), "no graph");
        Files.writeString(model.resolve("tokenizer.json"), """
                {"version": "1.0", "added_tokens": [{"id": 0, "content": "<s>", "single_word": false, "lstrip": false,
                 "rstrip": false, "normalized": false, "special": true}],
                 "pre_tokenizer": {"type": "WhitespaceSplit"},
                 "post_processor": {"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}},
                  {"Sequence": {"id": "A", "type_id": 0}}], "pair": [{"Sequence": {"id": "A", "type_id": 0}},
                  {"Sequence": {"id": "B", "type_id": 0}}],
                  "special_tokens": {"<s>": {"id": "<s>", "ids": [0], "tokens": ["<s>"]}}},
                 "model": {"type": "WordLevel", "vocab": {"<s>": 0, "[UNK]": 1}, "unk_token": "[UNK]"}}
                """);
        Files.writeString(model.resolve("tokenizer_config.json"), "{\"bos_token\": \"<s>\"}");
        Files.writeString(model.resolve("chat_template.jinja"), """
                {% if messages[-1].content == 'BAD' %}{{ raise_exception('a bad row') }}{% endif %}
                {% for m in messages %}{{ m.role }}: {% if m.content is string %}{{ m.content }}{% else %}{{ m.content | tojson }}{% endif %}{% if m.tool_calls %} {{ m.tool_calls | tojson }}{% endif %} ;{% endfor %}
                {% if tools %} {{ tools[0].name }}{% endif %}{% if add_generation_prompt %} assistant:{% endif %}{{ strftime_now(' %Y') if dated }}
                """);
        SPARK.session().conf().set("spark.kindling.model.fake", model.toUri().toString());
        SPARK.session()
                .sql("SELECT * FROM VALUES (1, 'two words'), (2, NULL), (3, ''), (4, 'BAD') AS t(id, q)")
                .repartition(2)
                .createOrReplaceTempView("questions");
    }

    private static List<Row> sql(String query) {
        return SPARK.session().sql(query).collectAsList();
    }

    @Test
    void promptsAreRenderedWithoutLoadingTheModel() {
        assertThat(sql("SELECT id, onnx.render_prompt('fake', q), onnx.render_prompt('fake', " + CHAT
                        + ") FROM questions ORDER BY id"))
                .containsExactly(
                        RowFactory.create(
                                1, "user: two words ; assistant:", "system: be brief ;user: two words ; assistant:"),
                        RowFactory.create(2, null, null),
                        RowFactory.create(3, "user:  ; assistant:", "system: be brief ;user:  ; assistant:"),
                        RowFactory.create(4, null, null));
        assertThat(FakeEngines.ATTEMPTS).hasValue(0);
    }

    @Test
    void tokensAreCountedWithoutLoadingTheModel() {
        assertThat(sql("SELECT id, onnx.count_tokens('fake', q), onnx.count_tokens('fake', q, map('chat', true)),"
                        + " onnx.count_tokens('fake', " + CHAT + ") FROM questions WHERE id IN (1, 2) ORDER BY id"))
                .containsExactly(RowFactory.create(1, 3, 5, 8), RowFactory.create(2, null, null, null));
        assertThat(
                        sql(
                                "SELECT sum(onnx.count_tokens('fake', q)) FROM questions WHERE onnx.count_tokens('fake', q) > 1"))
                .containsExactly(RowFactory.create(5L));
        assertThat(FakeEngines.ATTEMPTS).hasValue(0);
    }

    @Test
    void optionsOfPromptsComeFromTheMapAndFromColumns() {
        assertThat(sql(
                        "SELECT onnx.render_prompt('fake', q, map('system', concat('row ', id), 'tools', '[{\"name\": \"f\"}]',"
                                + " 'add_generation_prompt', 'false', 'template_kwargs', '{\"dated\": true}', 'template_now',"
                                + " '2021-02-03T04:05')) FROM questions WHERE id = 1"))
                .containsExactly(RowFactory.create("system: row 1 ;user: two words ; f 2021"));
        assertThat(sql("SELECT onnx.render_prompt('fake', q, map('chat_template', '{{ messages[0].content }}')) FROM"
                        + " questions WHERE id = 1"))
                .containsExactly(RowFactory.create("two words"));
        assertThat(sql(
                        "SELECT id, onnx.generate('fake', q, map('seed', cast(id AS STRING), 'max_new_tokens', cast(id AS"
                                + " STRING))) FROM questions WHERE id IN (1, 3) ORDER BY id"))
                .containsExactly(
                        RowFactory.create(1, "re: two words max 1 seed 1"), RowFactory.create(3, "re:  max 3 seed 3"));
    }

    @Test
    void everyFieldOfAMessageReachesTheTemplate() {
        assertThat(sql("SELECT onnx.render_prompt('fake', array(named_struct('role', 'user', 'content',"
                        + " array(named_struct('type', 'text', 'text', 'hi'), named_struct('type', 'image', 'text', NULL)),"
                        + " 'tool_calls', array(named_struct('name', 'f', 'arguments', map('n', 1.50, 'd', 2)))))),"
                        + " onnx.render_prompt('fake', array(map('role', 'user', 'content', 'hi')))"))
                .containsExactly(RowFactory.create(
                        "user: [{\"type\": \"text\", \"text\": \"hi\"}, {\"type\": \"image\"}] "
                                + "[{\"name\": \"f\", \"arguments\": {\"n\": 1.5, \"d\": 2.0}}] ; assistant:",
                        "user: hi ; assistant:"));
    }

    @Test
    void chatAnswersConversationsAndTexts() {
        assertThat(sql("SELECT id, onnx.chat('fake', " + CHAT + "), onnx.chat('fake', q),"
                        + " onnx.generate_details('fake', " + CHAT
                        + ").text, onnx.generate('fake', q, map('system', 's'))"
                        + " FROM questions WHERE id < 3 ORDER BY id"))
                .containsExactly(
                        RowFactory.create(
                                1,
                                "re: <system>be brief<user>two words max 128",
                                "re: <user>two words max 128",
                                "re: <system>be brief<user>two words max 128",
                                "re: <system>s<user>two words max 128"),
                        RowFactory.create(
                                2,
                                "re: <system>be brief<user>null max 128",
                                null,
                                "re: <system>be brief<user>null max 128",
                                null));
        assertThat(sql("SELECT onnx.chat('fake', CAST(NULL AS ARRAY<STRUCT<role: STRING, content: STRING>>))"))
                .containsExactly(RowFactory.create((Object) null));
    }

    @Test
    void badRowsEndTheJobOnRequestOnly() {
        assertThatThrownBy(() -> sql("SELECT onnx.render_prompt('fake', q, map('on_error', 'fail')) FROM questions"))
                .hasStackTraceContaining("a bad row");
        assertThatThrownBy(() -> sql("SELECT onnx.render_prompt('fake', array(1)) FROM questions"))
                .hasStackTraceContaining("needs a string as argument 2, or an array of structs");
        assertThatThrownBy(
                        () -> sql("SELECT onnx.render_prompt('fake', array(named_struct('role', current_date()))) FROM"
                                + " questions"))
                .hasStackTraceContaining("needs a string as argument 2, or an array of structs");
    }

    @Test
    void theDataFrameApiTakesConversationsToolsAndOptions() {
        Dataset<Row> input =
                SPARK.session().sql("SELECT id, IF(id = 2, NULL, " + CHAT + ") m FROM questions WHERE id < 4");
        Dataset<Row> answers =
                Generation.of("fake").messages(functions.col("m")).into("a").apply(input);
        assertThat(answers.select("id", "a").sort("id").collectAsList())
                .containsExactly(
                        RowFactory.create(1, "re: <system>be brief<user>two words max 128"),
                        RowFactory.create(2, null),
                        RowFactory.create(3, "re: <system>be brief<user> max 128"));
        Dataset<Row> json = SPARK.session()
                .sql("SELECT 0 id, '[{\"role\": \"user\", \"content\": \"hi\"}]' m UNION ALL SELECT 1, '[' ORDER BY id")
                .coalesce(1);
        Dataset<Row> details = Generation.of("fake")
                .messages(functions.col("m"))
                .system("s")
                .tools("[{\"name\": \"f\"}]")
                .into("a")
                .details("d")
                .apply(json);
        assertThat(details.select("a", "d.error_code").collectAsList())
                .containsExactly(
                        RowFactory.create("re: <system>s<user>hi max 128", null), RowFactory.create(null, "TEMPLATE"));
        assertThatThrownBy(() ->
                        Generation.of("fake").messages(functions.col("id")).apply(input))
                .isInstanceOf(OptionException.class)
                .hasMessageContaining("messages must be an array of structs");
        assertThatThrownBy(() -> Generation.of("fake")
                        .messages(functions.col("m"))
                        .tools("{")
                        .apply(input))
                .isInstanceOf(OptionException.class)
                .hasMessageContaining("tools");
    }
}
