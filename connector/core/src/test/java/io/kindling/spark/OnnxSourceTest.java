package io.kindling.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kindling.spark.runtime.FakeEngines;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.spark.sql.AnalysisException;
import org.apache.spark.sql.DataFrameReader;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/** What is asked of the model is counted, since that is what pushing down is for. The same holds where the batch operator does it. */
public class OnnxSourceTest {
    @RegisterExtension
    protected static final LocalSpark SPARK = new LocalSpark();

    @TempDir
    Path folder;

    private Path model;

    @BeforeEach
    void table() throws IOException {
        model = Files.createDirectory(folder.resolve("model"));
        SPARK.session().conf().set("spark.kindling.model.fake", model.toUri().toString());
        SPARK.session()
                .sql(
                        "SELECT * FROM VALUES (1, 'x', 5.5BD, named_struct('b', 0, 'c', 'a')), (2, NULL, 1BD, named_struct('b', 0, 'c', 'b')),"
                                + " (3, 'y', NULL, named_struct('b', 0, 'c', 'a')), (4, 'BAD', 2BD, NULL) AS t(id, q, n, s)")
                .repartition(3)
                .createOrReplaceTempView("questions");
    }

    private static DataFrameReader reader() {
        return SPARK.session().read().format("onnx").option("model", "fake").option("prompt", "q");
    }

    private static Dataset<Row> questions() {
        return reader().option("table", "questions").load();
    }

    @Test
    void rowsComeWithResultAndDetails() {
        Dataset<Row> rows = reader().option("table", "questions")
                .option("prompt", "Q {id}: {q}")
                .option("maxNewTokens", 9)
                .load();
        assertThat(rows.columns()).containsExactly("id", "q", "n", "s", "generated", "generated_details");
        assertThat(rows.select("id", "generated", "generated_details.error")
                        .orderBy("id")
                        .collectAsList())
                .containsExactly(
                        RowFactory.create(1, "re: Q 1: x max 9", null),
                        RowFactory.create(2, null, null),
                        RowFactory.create(3, "re: Q 3: y max 9", null),
                        RowFactory.create(4, null, "a bad row"));
    }

    @Test
    void withoutAResultColumnNoModelIsLoaded() {
        assertThat(questions().count()).isEqualTo(4);
        assertThat(questions().select("id", "s.c").where("id < 3").collectAsList())
                .hasSize(2);
        assertThat(FakeEngines.ATTEMPTS).hasValue(0);
    }

    @Test
    void filtersOnTheInputLeaveRowsOutBeforeTheModel() {
        String[] filters = {
            "id = 1",
            "id IN (1, 7)",
            "q LIKE 'x%'",
            "n > 5.4",
            "n <=> 5.5",
            "s.c = 'a' AND NOT q = 'y'",
            "id < 2 OR (q IS NULL AND n > 1)"
        };
        for (String filter : filters) {
            FakeEngines.SUBMITTED.set(0);
            assertThat(questions().where(filter).select("generated").collectAsList())
                    .as(filter)
                    .containsExactly(RowFactory.create("re: x max 128"));
            assertThat(FakeEngines.SUBMITTED).as(filter).hasValue(1);
        }
    }

    @Test
    void filtersOnTheResultAreKept() {
        assertThat(questions()
                        .where("generated LIKE '%y%' AND id > 1")
                        .select("id")
                        .collectAsList())
                .containsExactly(RowFactory.create(3));
        assertThat(FakeEngines.SUBMITTED).hasValue(2);
        assertThat(questions().where("generated IS NULL").limit(1).collectAsList())
                .hasSize(1);
    }

    @Test
    void aLimitIsOfTheRowsThatTheModelSees() {
        assertThat(questions()
                        .where("q IS NOT NULL")
                        .select("generated")
                        .limit(2)
                        .collectAsList())
                .hasSize(2);
        assertThat(FakeEngines.SUBMITTED).hasValue(2);
    }

    @Test
    void filesOfAnyFormatAreRead() throws IOException {
        Files.writeString(folder.resolve("in.jsonl"), "{\"id\": 1, \"q\": \"x\"}\n{\"id\": 2, \"q\": \"y\"}\n");
        Files.writeString(folder.resolve("in.csv"), "id;q\n1;x\n2;y\n");
        Files.writeString(folder.resolve("in.txt"), "x\ny\n");
        Path parquet = folder.resolve("in.parquet");
        SPARK.session()
                .sql("SELECT * FROM VALUES (1, 'x'), (2, 'y') AS t(id, q)")
                .write()
                .parquet(parquet.toString());
        List<Dataset<Row>> inputs = List.of(
                reader().option("input.format", "json")
                        .load(folder.resolve("in.jsonl").toString()),
                reader().option("input.format", "json")
                        .option("input.schema", "q STRING")
                        .load(folder.resolve("in.jsonl").toString()),
                reader().option("input.format", "csv")
                        .option("input.option.sep", ";")
                        .load(folder.resolve("in.csv").toString()),
                reader().option("input.format", "text")
                        .option("prompt", "value")
                        .load(folder.resolve("in.txt").toString()),
                reader().load(parquet.toString()));
        for (Dataset<Row> input : inputs) {
            assertThat(input.select("generated").orderBy("generated").collectAsList())
                    .containsExactly(RowFactory.create("re: x max 128"), RowFactory.create("re: y max 128"));
        }
    }

    @Test
    void encodersMakeVectorsAndClasses() {
        Row row = reader().option("table", "questions")
                .option("task", "embed")
                .option("maxTokens", 5)
                .load()
                .where("id = 1")
                .select("embedding", "embedding_details.tokens")
                .head();
        assertThat(row.<Float>getList(0)).containsExactly(1f, 5f);
        assertThat(row.getInt(1)).isEqualTo(1);
        assertThat(reader().option("table", "questions")
                        .option("task", "classify")
                        .option("into", "mood")
                        .load()
                        .where("id = 1")
                        .select("mood", "mood_details.scores")
                        .head()
                        .getString(0))
                .isEqualTo("x");
    }

    @Test
    void partitionsAreKeptOrSplitAgain() {
        assertThat(questions().select("generated").rdd().getNumPartitions()).isEqualTo(3);
        assertThat(reader().option("table", "questions")
                        .option("partitions", 2)
                        .load()
                        .select("generated")
                        .rdd()
                        .getNumPartitions())
                .isEqualTo(2);
    }

    @Test
    void keysAndConversationsReachTheModel() {
        SPARK.session()
                .sql("SELECT 'k' k, array(named_struct('role', 'user', 'content', 'hi')) m")
                .createOrReplaceTempView("chats");
        assertThat(reader().option("table", "chats")
                        .option("prompt", "m")
                        .option("key", "k")
                        .load()
                        .select("generated")
                        .collectAsList())
                .containsExactly(RowFactory.create("re: <user>hi #k max 128"));
    }

    @Test
    void mistakesSayWhatToDo() {
        assertThatThrownBy(() -> SPARK.session()
                        .read()
                        .format("onnx")
                        .option("promt", "x")
                        .option("topk", -1)
                        .load())
                .isInstanceOf(AnalysisException.class)
                .hasMessageContainingAll("format(\"onnx\"): ", "did you mean 'prompt'", "'topk' must be");
        assertThatThrownBy(() -> SPARK.session().read().format("onnx").load())
                .hasMessageContainingAll("set option 'model'", "set option 'prompt'", "set option 'table'");
        assertThatThrownBy(() -> reader().option("table", "questions").load("x"))
                .hasMessageContaining("exclude each other");
        refused("prompt", "question", "the input has not; it has id, q, n, s", "write {column} in a template");
        refused("prompt", "{question}", "does not fit the input, whose columns are id, q, n, s");
        refused("maxTokens", "8", "'maxTokens' cannot be given here", "did you mean 'max_new_tokens'?");
        refused("prompt", "id", "of INT; it must hold texts or conversations", "'{id}'");
        refused("key", "nr", "option 'key' names a column 'nr'");
        refused("into", "N", "a column 'N' already", "option 'into'");
        refused("model", "fakee", "no model is named 'fakee'");
        refused("table", "nowhere", "nowhere");
    }

    @Test
    void whatIsNoReadSaysSo() throws Exception {
        Dataset<Row> rows = SPARK.session().table("questions");
        for (Executable write : List.<Executable>of(
                () -> rows.write().format("onnx").option("model", "fake").save("x"),
                () -> rows.write().format("onnx").mode("append").save("x"),
                () -> SPARK.session()
                        .readStream()
                        .format("rate")
                        .load()
                        .writeStream()
                        .format("onnx")
                        .option("checkpointLocation", "x")
                        .start())) {
            assertThatThrownBy(write::execute)
                    .isInstanceOf(AnalysisException.class)
                    .hasMessageContaining("is not written to: write them to another format");
        }
        assertThatThrownBy(() -> reader().schema("id INT, q STRING")
                        .option("table", "questions")
                        .load())
                .isInstanceOf(AnalysisException.class)
                .hasMessageContainingAll("not struct<id:int,q:string>", "leave out .schema(…)", "'input.schema'");
        assertThatThrownBy(() -> SPARK.session()
                        .readStream()
                        .format("onnx")
                        .option("model", "fake")
                        .option("table", "questions")
                        .option("prompt", "q")
                        .load())
                .isInstanceOf(AnalysisException.class)
                .hasMessageContainingAll("is no stream", "SELECT *, onnx.generate('model', prompt) AS answer FROM s");
    }

    @Test
    void theTablesOwnSchemaMayBeGiven() {
        Dataset<Row> answers = reader().option("table", "questions").load();
        assertThat(reader().schema(answers.schema())
                        .option("table", "questions")
                        .load()
                        .columns())
                .isEqualTo(answers.columns());
    }

    @Test
    void viewsAndTablesOfItAreMadeInSql() {
        SparkSession session = SPARK.session();
        String options = " USING onnx OPTIONS (model 'fake', table 'questions', prompt 'q', maxNewTokens 7)";
        session.sql("CREATE OR REPLACE TEMPORARY VIEW viewed" + options);
        assertThat(session.table("viewed").where("id = 1").select("generated").collectAsList())
                .containsExactly(RowFactory.create("re: x max 7"));
        session.sql("CREATE TABLE stored" + options);
        try {
            assertThat(session.sql("DESCRIBE TABLE stored").collectAsList())
                    .extracting(row -> row.getString(0))
                    .contains("id", "q", "generated", "generated_details");
            assertThat(session.sql("SELECT generated FROM stored WHERE id = 1 AND generated LIKE 're%'")
                            .collectAsList())
                    .containsExactly(RowFactory.create("re: x max 7"));
            assertThat(FakeEngines.SUBMITTED).hasValue(2);
            assertThat(session.sql("SELECT id FROM stored WHERE n IS NULL").count())
                    .isPositive();
            assertThat(FakeEngines.SUBMITTED).as("without a result").hasValue(2);
        } finally {
            session.sql("DROP TABLE stored");
        }
    }

    private static void refused(String option, String value, String... messages) {
        assertThatThrownBy(() -> reader().option("table", "questions")
                        .option(option, value)
                        .load())
                .hasMessageContainingAll(messages);
    }

    @Test
    void joinsAndAggregatesReadWhatTheyNeed() {
        Dataset<Row> answers = questions();
        assertThat(answers.groupBy("s.c")
                        .agg(functions.max("generated"))
                        .where("c = 'a'")
                        .collectAsList())
                .containsExactly(RowFactory.create("a", "re: y max 128"));
        assertThat(FakeEngines.SUBMITTED).hasValue(2);
    }
}
