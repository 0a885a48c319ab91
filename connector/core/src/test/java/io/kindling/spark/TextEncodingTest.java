package io.kindling.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kindling.engine.error.OptionException;
import io.kindling.spark.metrics.GenerationMetrics;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

class TextEncodingTest {
    private static final StructType SCHEMA =
            new StructType().add("id", DataTypes.IntegerType).add("t", DataTypes.StringType);

    @RegisterExtension
    static final LocalSpark SPARK = new LocalSpark();

    @TempDir
    Path model;

    private Dataset<Row> table(String... texts) {
        List<Row> rows = IntStream.range(0, texts.length)
                .mapToObj(i -> RowFactory.create(i, texts[i]))
                .toList();
        return SPARK.session().createDataFrame(rows, SCHEMA).coalesce(1);
    }

    private String uri() {
        return model.toUri().toString();
    }

    @Test
    void rowsOfSeveralWindowsComeOutInOrder() {
        String[] texts =
                IntStream.range(0, 1200).mapToObj(i -> "t".repeat(i % 40)).toArray(String[]::new);
        List<Row> rows = TextEncoding.embed(uri())
                .text("t")
                .option("maxTokens", 7)
                .apply(table(texts))
                .collectAsList();
        assertThat(rows).hasSize(texts.length);
        for (int i = 0; i < texts.length; i++) {
            assertThat(rows.get(i).getInt(0)).isEqualTo(i);
            assertThat(rows.get(i).<Float>getList(2)).containsExactly((float) texts[i].length(), 7f);
        }
    }

    @Test
    void nullAndBadTextsKeepTheirPlacesAndHarmNoOthers() {
        GenerationMetrics metrics = GenerationMetrics.register(SPARK.session().sparkContext());
        List<Row> rows = TextEncoding.embed(uri())
                .text("t")
                .into("v")
                .details("d")
                .metrics(metrics)
                .apply(table("abc", null, "BAD", "a long text"))
                .collectAsList();
        assertThat(rows.get(0).<Float>getList(2)).containsExactly(3f, 0f);
        assertThat(rows.get(0).getStruct(3)).isEqualTo(RowFactory.create(3, false, null, null));
        assertThat(rows.get(1)).isEqualTo(RowFactory.create(1, null, null, null));
        assertThat(rows.get(2))
                .isEqualTo(RowFactory.create(2, "BAD", null, RowFactory.create(null, null, "TOKENIZER", "a bad text")));
        assertThat(rows.get(3).getStruct(3).getBoolean(1)).isTrue();
        assertThat(metrics.rows().value()).isEqualTo(4);
        assertThat(metrics.requests().value()).isEqualTo(3);
        assertThat(metrics.failedRows().value()).isEqualTo(1);
        assertThat(metrics.promptTokens().value()).isEqualTo(14);
        assertThat(metrics.meanBatchSize().value()).isBetween(1.0, 3.0);
        assertThat(metrics.tokensPerSecond().value()).isPositive();
    }

    @Test
    void classesComeWithTheScoresOfAll() {
        Row row = TextEncoding.classify(uri())
                .text("t")
                .details("d")
                .apply(table("xyz"))
                .head();
        assertThat(row.getString(2)).isEqualTo("x");
        assertThat(row.getStruct(3).<Row>getList(0))
                .containsExactly(RowFactory.create("x", 0.75f), RowFactory.create("other", 0.25f));
    }

    @Test
    void sqlEncodesToo() {
        SPARK.session().conf().set("spark.kindling.model.encoder", uri());
        table("abc", null, "BAD").createOrReplaceTempView("texts");
        List<Row> rows = SPARK.session()
                .sql("SELECT id, onnx.embed('encoder', t, map('max_tokens', 5)) AS v, onnx.classify('encoder', t) AS c"
                        + " FROM texts ORDER BY id")
                .collectAsList();
        assertThat(rows.get(0).<Float>getList(1)).containsExactly(3f, 5f);
        assertThat(rows.get(0).getString(2)).isEqualTo("a");
        assertThat(rows.get(1)).isEqualTo(RowFactory.create(1, null, null));
        assertThat(rows.get(2)).isEqualTo(RowFactory.create(2, null, null));
        assertThatThrownBy(() -> SPARK.session().sql("SELECT onnx.embed('encoder', array(t)) FROM texts"))
                .hasMessageContaining("needs a string as argument 2");
    }

    @Test
    void optionsOfGenerationAreRefused() {
        assertThatThrownBy(() -> TextEncoding.embed(uri())
                        .text("t")
                        .option("maxNewTokens", 5)
                        .into("v")
                        .apply(table("abc")))
                .isInstanceOf(OptionException.class)
                .hasMessageContainingAll("'maxNewTokens' cannot be given here", "did you mean 'max_tokens'?");
    }

    @Test
    void oneBadTextEndsAJobThatIsToFail() {
        Dataset<Row> vectors =
                TextEncoding.embed(uri()).text("t").option("onError", "fail").apply(table("fine", "BAD"));
        assertThatThrownBy(vectors::collectAsList)
                .hasStackTraceContaining("TOKENIZER")
                .hasStackTraceContaining("onError is 'fail'");
    }

    @Test
    void mistakesAreReportedBeforeAnythingRuns() {
        assertThatThrownBy(() -> TextEncoding.embed(uri()).apply(table("x")))
                .isInstanceOf(OptionException.class)
                .hasMessageContaining("text(");
        assertThatThrownBy(() -> TextEncoding.embed(uri())
                        .text("t")
                        .option("pooling", "sum")
                        .option("maxTokns", 3)
                        .apply(table("x")))
                .hasMessageContaining("pooling")
                .hasMessageContaining("max_tokens");
        assertThatThrownBy(() -> TextEncoding.embed(uri()).text("t").into("ID").apply(table("x")))
                .hasMessageContaining("a column 'ID' already");
    }
}
