package io.kindling.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.nio.file.Path;
import org.apache.spark.sql.AnalysisException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Wrong calls are Spark's analysis errors, which name what is wrong and what to write instead; without the rules of the shims, too. */
public class WrongCallsTest {
    @RegisterExtension
    protected static final LocalSpark SPARK = new LocalSpark();

    @TempDir
    Path model;

    @BeforeEach
    void table() {
        SPARK.session().conf().set("spark.kindling.model.fake", model.toUri().toString());
        SPARK.session().conf().set("spark.kindling.model.gone", "file:///nowhere/model");
        SPARK.session().sql("SELECT id, concat('row ', id) q FROM range(2)").createOrReplaceTempView("questions");
    }

    /** Checks that a statement is refused with a message that holds all of some texts, written with & between. */
    protected static void refused(String statement, String contained) {
        Throwable thrown = catchThrowable(() -> SPARK.session().sql(statement).collectAsList());
        assertThat(thrown).as(statement).isInstanceOf(AnalysisException.class);
        assertThat(thrown.getMessage()).as(statement).contains(contained.split(" & "));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "onnx.genrate('fake', q) | onnx has no function 'genrate', did you mean 'generate'? It has chat, classify",
                "onnx.xyzzy('fake', q) | onnx has no function 'xyzzy'; it has chat, classify",
                "onnx.fake.generate(q) | onnx.fake has no function 'generate', only onnx.fake.run & onnx.generate('fake', …)",
                "onnx.fakee.run(1) | onnx.`fakee`.run: no model is named 'fakee', did you mean 'fake'? & spark.kindling.model.fakee",
                "onnx.gone.run(1) | model 'file:///nowhere/model' does not exist & give the URI of a folder",
                "onnx.generate(1, 2) | onnx.generate needs a string as argument 1, not INT & cast it & onnx.generate(model STRING",
                "onnx.generate('fake', id) | needs a string as argument 2 & not BIGINT & cast it & onnx.generate(model STRING",
                "onnx.generate('fake') | onnx.generate takes 2 or 3 arguments, not 1 & write onnx.generate(model STRING, prompt",
                "onnx.generate() | takes 2 or 3 arguments, not 0 & write onnx.generate(model STRING, prompt",
                "onnx.generate('fake', q, map('a', 'b'), 1) | takes 2 or 3 arguments, not 4 & [, options MAP<STRING, …>]",
                "onnx.embed('fake', array(q)) | onnx.embed needs a string as argument 2, not ARRAY<STRING> & cast it",
                "onnx.extract('fake', q) | onnx.extract takes 3 or 4 arguments, not 2 & schema STRING",
                "onnx.extract('fake', q, 1) | needs a schema such as 'name STRING, amount DOUBLE' as argument 3, not INT",
                "onnx.generate('fake', q, 'x') | needs options as a map from strings & not STRING & options MAP<STRING",
                "onnx.run('fake', q) | onnx.run needs a string and a struct of inputs, not STRING and STRING & inputs STRUCT",
                "onnx.run('fake') | onnx.run takes 2 or 3 arguments, not 1 & write onnx.run(model STRING, inputs STRUCT"
            })
    void callsThatCannotBe(String call, String contained) {
        refused("SELECT " + call + " FROM questions", contained);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "SELECT * FROM onnx.fake.prots | onnx.fake has no table 'prots', did you mean 'ports'? It has ports, nodes, weights, metadata",
                "SELECT * FROM onnx.ports | onnx has no table 'ports' & models, functions & write onnx.<model>.ports",
                "DESCRIBE TABLE onnx.fakee.ports | onnx.fakee: no model is named 'fakee', did you mean 'fake'?",
                "SELECT * FROM onnx.gone.ports | onnx.gone.ports: model 'file:///nowhere/model' does not exist & give the URI",
                "DESCRIBE FUNCTION onnx.genrate | onnx has no function 'genrate', did you mean 'generate'?",
                "CREATE TABLE onnx.fake.t (x INT) | read only & set spark.kindling.model.<alias>",
                "CREATE NAMESPACE onnx.other | read only & set spark.kindling.model.<alias>",
                "DROP NAMESPACE onnx.fake | read only & set spark.kindling.model.<alias>",
                "DROP TABLE onnx.fake.ports | read only & set spark.kindling.model.<alias>",
                "ALTER TABLE onnx.fake.ports ADD COLUMN b INT | read only & set spark.kindling.model.<alias>"
            })
    void namesThatAreNot(String statement, String contained) {
        refused(statement, contained);
    }

    @Test
    void whetherThereIsATableCanBeAsked() {
        var catalog = SPARK.session().catalog();
        assertThat(catalog.tableExists("onnx.fake.ports")).isTrue();
        assertThat(catalog.tableExists("onnx.fake.prots")).isFalse();
        assertThat(catalog.tableExists("onnx.fakee.ports")).isFalse();
    }

    @Test
    void badSettingsOfTheSessionAreRefusedWithItsCalls() {
        SPARK.session().conf().set("spark.kindling.topK", "-1");
        try {
            refused(
                    "SELECT onnx.generate('fake', q) FROM questions",
                    "onnx.generate: setting spark.kindling.*: option 'topK' must be & not '-1'");
        } finally {
            SPARK.session().conf().unset("spark.kindling.topK");
        }
    }

    @Test
    void manyAliasesAreNotAllListed() {
        for (int i = 10; i < 30; i++) {
            SPARK.session().conf().set("spark.kindling.model.m" + i, "file:///m");
        }
        try {
            assertThatThrownBy(() -> SPARK.session().sql("SELECT onnx.zzzzzz.run(1)"))
                    .hasMessageContaining(
                            "set are fake, gone, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19 and 10 more");
        } finally {
            for (int i = 10; i < 30; i++) {
                SPARK.session().conf().unset("spark.kindling.model.m" + i);
            }
        }
    }
}
