package io.kindling.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kindling.engine.error.KindlingException;
import io.kindling.spark.runtime.DeterministicFaults;
import io.kindling.spark.runtime.FakeEngines;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

class OnnxCatalogTest {
    @RegisterExtension
    static final LocalSpark SPARK = new LocalSpark();

    @TempDir
    Path model;

    @BeforeEach
    void table() {
        SPARK.session().conf().set("spark.kindling.model.fake", model.toUri().toString());
        SPARK.session()
                .sql("SELECT * FROM VALUES (1, 'x'), (2, NULL), (3, ''), (4, 'BAD') AS t(id, q)")
                .repartition(2)
                .createOrReplaceTempView("questions");
    }

    private List<Row> sql(String query) {
        return SPARK.session().sql(query).collectAsList();
    }

    @Test
    void answersAreHeldToSchemasAndFormats() {
        String form = "Json[shape=Fields[fields=[Field[name=a, shape=Bool[], required=true]]]]";
        assertThat(
                        sql(
                                "SELECT onnx.extract('fake', 'FORM', s), onnx.extract_json('fake', 'FORM', 'a BOOLEAN NOT NULL'),"
                                        + " onnx.generate('fake', 'FORM', map('response_format', '{\"type\": \"boolean\"}')),"
                                        + " onnx.generate('fake', 'FORM') FROM (SELECT 'a BOOLEAN NOT NULL' s FROM questions WHERE id = 1)"))
                .containsExactly(RowFactory.create(form, form, "Json[shape=Bool[]]", "Text[]"));
    }

    @Test
    void theExtensionInTheJarRegistersTheCatalog() {
        assertThat(SPARK.session().conf().get("spark.sql.catalog.onnx")).isEqualTo(OnnxCatalog.class.getName());
    }

    @Test
    void generateGivesTextAndNullForNullAndFailedRows() {
        assertThat(sql("SELECT id, onnx.generate('fake', q, map('max_new_tokens', 8)) a FROM questions ORDER BY id"))
                .containsExactly(
                        RowFactory.create(1, "re: x max 8"),
                        RowFactory.create(2, null),
                        RowFactory.create(3, "re:  max 8"),
                        RowFactory.create(4, null));
    }

    @Test
    void generateDetailsSaysWhyARowFailed() {
        assertThat(
                        sql(
                                "SELECT d.text, d.finish_reason, d.prompt_tokens, d.generated_tokens, d.error_code, d.error FROM "
                                        + "(SELECT id, onnx.generate_details('fake', q) d FROM questions WHERE id IN (1, 4)) ORDER BY id"))
                .containsExactly(
                        RowFactory.create("re: x max 128", "stop", 3, 2, null, null),
                        RowFactory.create(null, "error", 2, 0, "PROMPT_TOO_LONG", "a bad row"));
    }

    @Test
    void optionsMayBeStringsOrNumbersOfAnyKind() {
        for (String options : List.of(
                "map('maxNewTokens', '9')",
                "map('max_new_tokens', 9, 'temperature', 0.5)",
                "map('maxNewTokens', 9.0D)",
                "map('max_new_tokens', CAST(9 AS BIGINT))")) {
            assertThat(sql("SELECT onnx.generate('fake', q, " + options + ") FROM questions WHERE id = 1"))
                    .containsExactly(RowFactory.create("re: x max 9"));
        }
    }

    @Test
    void sessionSettingsAreDefaults() {
        SPARK.session().conf().set("spark.kindling.maxNewTokens", "3");
        try {
            assertThat(sql("SELECT onnx.generate('fake', q) FROM questions WHERE id = 1"))
                    .containsExactly(RowFactory.create("re: x max 3"));
        } finally {
            SPARK.session().conf().unset("spark.kindling.maxNewTokens");
        }
    }

    @Test
    void groupingAndSortingByAnAnswerWork() {
        assertThat(sql("SELECT a, count(*) n FROM (SELECT onnx.generate('fake', q) a FROM questions) "
                        + "GROUP BY a ORDER BY a NULLS FIRST"))
                .containsExactly(
                        RowFactory.create(null, 2L),
                        RowFactory.create("re:  max 128", 1L),
                        RowFactory.create("re: x max 128", 1L));
    }

    @Test
    void oneSessionServesAllTasksAndIsReleased() {
        sql("SELECT onnx.generate('fake', CAST(id AS STRING)) FROM range(0, 40, 1, 4)");
        assertThat(FakeEngines.sessionsOpened()).isEqualTo(1);
        assertThat(FakeEngines.OPEN_CLIENTS).hasValue(0);
    }

    @Test
    void badArgumentsFailAtAnalysis() {
        assertThatThrownBy(() -> sql("SELECT onnx.generate('fake') FROM questions"))
                .hasStackTraceContaining("takes 2 or 3 arguments, not 1");
        assertThatThrownBy(() -> sql("SELECT onnx.generate('fake', id) FROM questions"))
                .hasStackTraceContaining("needs a string as argument 2");
        assertThatThrownBy(() -> sql("SELECT onnx.generate('fake', q, 'x') FROM questions"))
                .hasStackTraceContaining("needs options as a map");
        assertThatThrownBy(() -> sql("SELECT onnx.generate('fake', q, map('seed', current_date())) FROM questions"))
                .hasStackTraceContaining("needs options as a map");
        assertThatThrownBy(() -> sql("SELECT onnx.nothing('fake', q) FROM questions"))
                .hasStackTraceContaining("nothing");
    }

    @Test
    void badOptionsAndModelsSayWhatToDo() throws Exception {
        assertThatThrownBy(() -> sql("SELECT onnx.generate('fake', q, map('topkk', 1)) FROM questions"))
                .satisfies(thrown -> assertThat(fault(thrown)).contains("topkk", "top_k"));
        assertThatThrownBy(() -> sql("SELECT onnx.generate('fakee', q) FROM questions"))
                .satisfies(thrown -> assertThat(fault(thrown))
                        .contains("no model is named 'fakee'", "spark.kindling.model.fakee", "set are fake"));
        assertThatThrownBy(() -> sql("SELECT onnx.generate('', q) FROM questions"))
                .satisfies(thrown -> assertThat(fault(thrown)).contains("the name of the model is empty"));
        SPARK.session().conf().set("spark.kindling.model.nowhere", "");
        assertThatThrownBy(() -> sql("SELECT onnx.generate('nowhere', q) FROM questions"))
                .satisfies(thrown -> assertThat(fault(thrown)).contains("spark.kindling.model.nowhere is empty"));
        SPARK.session().conf().unset("spark.kindling.model.nowhere");
        assertThatThrownBy(() -> sql("SELECT onnx.generate('s3a://bucket/model', q) FROM questions"))
                .satisfies(thrown -> assertThat(fault(thrown)).contains("add the file system's jar"));
        assertThatThrownBy(() -> sql("SELECT onnx.generate('http://localhost:1/m.onnx', q) FROM questions"))
                .satisfies(thrown -> assertThat(fault(thrown)).contains("lists no folders"));
        Files.createFile(model.resolve("broken"));
        assertThatThrownBy(() -> sql("SELECT onnx.generate('fake', q) FROM questions"))
                .satisfies(thrown -> assertThat(fault(thrown)).contains("is broken on purpose"));
    }

    private static String fault(Throwable thrown) {
        return DeterministicFaults.in(SPARK.session().sparkContext(), thrown)
                .map(KindlingException::getMessage)
                .orElse(thrown.getMessage());
    }
}
