package io.kindling.spark.shim35;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kindling.spark.LocalSpark;
import io.kindling.spark.runtime.TaskEngines;
import java.nio.file.Path;
import java.util.List;
import org.apache.spark.sql.AnalysisException;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** {@code extract} over an engine that answers with what the text says behind SAYS. */
class ExtractCallsTest {
    @RegisterExtension
    static final LocalSpark SPARK = new LocalSpark();

    @TempDir
    Path model;

    @BeforeEach
    void table() {
        SPARK.session().conf().set("spark.kindling.model.m", model.toUri().toString());
        SPARK.session()
                .sql(
                        "SELECT * FROM VALUES (1, 'SAYS Sure: {\"name\": \"Ada\", \"amount\": 12.5} done'), (2, 'SAYS no idea'),"
                                + " (3, NULL), (4, 'BAD'), (5, 'SAYS {\"name\": \"Bo\", \"amount\": \"much\"}') AS t(id, q)")
                .repartition(2)
                .createOrReplaceTempView("t");
    }

    private static List<Row> sql(String query) {
        return SPARK.session().sql(query).collectAsList();
    }

    @Test
    void aLiteralSchemaGivesAStruct() {
        String call = "onnx.extract('m', q, 'name STRING, amount DOUBLE')";
        assertThat(SPARK.session().sql("SELECT " + call + " e FROM t").schema().toDDL())
                .isEqualTo("e STRUCT<name: STRING, amount: DOUBLE>");
        long before = TaskEngines.requests();
        assertThat(sql("SELECT id, e.name, e.amount, e IS NULL FROM (SELECT id, " + call + " e FROM t) ORDER BY id"))
                .containsExactly(
                        RowFactory.create(1, "Ada", 12.5, false),
                        RowFactory.create(2, null, null, false),
                        RowFactory.create(3, null, null, true),
                        RowFactory.create(4, null, null, true),
                        RowFactory.create(5, "Bo", null, false));
        assertThat(TaskEngines.requests() - before).isEqualTo(4);
    }

    @Test
    void answersAreHeldToTheSchema() {
        String form = "Json[shape=Fields[fields=[Field[name=a, shape=Bool[], required=true]]]]";
        assertThat(sql(
                        "SELECT onnx.extract('m', 'FORM', s), onnx.extract_json('m', 'FORM', 'a BOOLEAN NOT NULL'), e._corrupt_record"
                                + " FROM (SELECT concat('a BOOLEAN ', IF(id < 9, 'NOT NULL', q)) s, onnx.extract('m', 'FORM', 'a BOOLEAN NOT"
                                + " NULL, _corrupt_record STRING') e FROM t WHERE id = 1)"))
                .containsExactly(RowFactory.create(form, form, form));
    }

    @Test
    void aBadSchemaInAColumnIsAFaultOfItsRow() {
        assertThat(
                        sql(
                                "SELECT onnx.extract('m', 'FORM', IF(id = 1, 'a BOOL', 'a BOOLEAN')) IS NULL FROM t WHERE id < 3 ORDER BY id"))
                .containsExactly(RowFactory.create(true), RowFactory.create(false));
    }

    @Test
    void aJsonSchemaGivesAStructToo() {
        String call = "onnx.extract('m', q, '{\"type\": \"object\", \"properties\": {\"name\": {\"type\": \"string\"},"
                + " \"amount\": {\"type\": [\"number\", \"null\"]}}}')";
        assertThat(SPARK.session().sql("SELECT " + call + " e FROM t").schema().toDDL())
                .isEqualTo("e STRUCT<name: STRING, amount: DOUBLE>");
        assertThat(sql("SELECT e.name, e.amount FROM (SELECT " + call + " e FROM t WHERE id = 1)"))
                .containsExactly(RowFactory.create("Ada", 12.5));
    }

    @Test
    void answersThatAreNoObjectsAreKeptWhereTheSchemaHasAFieldForThem() {
        assertThat(sql(
                        "SELECT e.name, e._corrupt_record FROM (SELECT id, onnx.extract('m', q, 'name STRING, _corrupt_record"
                                + " STRING', map('max_new_tokens', 8)) e FROM t WHERE id < 3) ORDER BY id"))
                .containsExactly(RowFactory.create("Ada", null), RowFactory.create(null, "no idea"));
    }

    @Test
    void otherwiseTheResultIsJson() {
        String json = "{\"name\": \"Ada\", \"amount\": 12.5}";
        assertThat(sql("SELECT onnx.extract('m', q, s), onnx.extract_json('m', q, 'name STRING') FROM (SELECT q,"
                        + " concat('name ', IF(id < 9, 'STRING', q)) s FROM t WHERE id = 1)"))
                .containsExactly(RowFactory.create(json, json));
    }

    @Test
    void aBadSchemaIsRefusedAtAnalysis() {
        for (String schema : List.of("name STRIN", "INT")) {
            for (String function : List.of("extract", "extract_json")) {
                assertThatThrownBy(() -> sql("SELECT onnx." + function + "('m', q, '" + schema + "') FROM t"))
                        .isInstanceOf(AnalysisException.class)
                        .hasMessageContaining(
                                "onnx." + function + ": the schema '" + schema + "' is not a list of fields");
            }
        }
        assertThatThrownBy(() -> sql("SELECT onnx.extract('m', q) FROM t"))
                .hasMessageContaining("onnx.extract takes 3 or 4 arguments, not 2");
        assertThatThrownBy(() -> sql("SELECT onnx.extract('m', q, 1) FROM t"))
                .hasMessageContaining("needs a schema such as 'name STRING, amount DOUBLE' as argument 3, not INT");
    }
}
