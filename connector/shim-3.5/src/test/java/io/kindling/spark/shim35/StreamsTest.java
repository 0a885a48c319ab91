package io.kindling.spark.shim35;

import static org.assertj.core.api.Assertions.assertThat;

import io.kindling.spark.LocalSpark;
import io.kindling.spark.runtime.TaskEngines;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.streaming.Trigger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The operator in streams, and what it counts. */
class StreamsTest {
    @RegisterExtension
    static final LocalSpark SPARK = new LocalSpark();

    @TempDir
    Path folder;

    @BeforeEach
    void alias() {
        SPARK.session().conf().set("spark.kindling.model.m", folder.toUri().toString());
    }

    @Test
    void aMicroBatchAsksOnceForARow() throws Exception {
        Path input = Files.createDirectory(folder.resolve("in"));
        Files.writeString(input.resolve("lines.txt"), "a\nb\nc\n");
        Dataset<Row> answers = SPARK.session()
                .readStream()
                .text(input.toString())
                .selectExpr("value", "onnx.generate('m', value) a")
                .where("a IS NOT NULL AND value <> 'b'");
        long before = TaskEngines.requests();
        answers.writeStream()
                .format("memory")
                .queryName("answers")
                .option("checkpointLocation", folder.resolve("checkpoint").toString())
                .trigger(Trigger.AvailableNow())
                .start()
                .awaitTermination();
        assertThat(SPARK.session().table("answers").collectAsList())
                .containsExactlyInAnyOrder(
                        RowFactory.create("a", "re: a max 128"), RowFactory.create("c", "re: c max 128"));
        assertThat(TaskEngines.requests() - before).isEqualTo(2);
    }

    @Test
    void theOperatorCountsWhatItDoes() {
        Dataset<Row> rows =
                SPARK.session().sql("SELECT onnx.generate('m', q) FROM VALUES ('a'), (NULL), ('BAD') AS s(q)");
        rows.collectAsList();
        SparkPlan plan = rows.queryExecution().executedPlan();
        OnnxBatchExec operator = (OnnxBatchExec) find(plan);
        assertThat(count(operator, "rows")).isEqualTo(3);
        assertThat(count(operator, "engine requests")).isEqualTo(2);
        assertThat(count(operator, "prompt tokens")).isEqualTo(5);
        assertThat(count(operator, "generated tokens")).isEqualTo(2);
        assertThat(count(operator, "failed rows")).isEqualTo(1);
        assertThat(count(operator, "sessions")).isEqualTo(1);
        assertThat(count(operator, "prefix hits")).isEqualTo(16);
    }

    private static SparkPlan find(SparkPlan plan) {
        return plan instanceof OnnxBatchExec
                ? plan
                : find(Trees.<SparkPlan>list(plan.children()).get(0));
    }

    private static long count(OnnxBatchExec operator, String metric) {
        return operator.metrics().apply(metric).value();
    }
}
