package io.kindling.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.kindling.spark.runtime.FakeEngines;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Plans of sessions without the batch operator. */
class OnnxScanTest {
    @RegisterExtension
    static final LocalSpark SPARK = new LocalSpark();

    @Test
    void plansShowOptionsAndWhatIsPushed(@TempDir Path model) {
        SPARK.session().range(5).selectExpr("id", "string(id) q").createOrReplaceTempView("questions");
        String plan = SPARK.session()
                .read()
                .format("onnx")
                .option("model", model.toUri().toString())
                .option("prompt", "q")
                .option("table", "questions")
                .option("maxNewTokens", 7)
                .load()
                .where("id > 2")
                .select("generated")
                .limit(3)
                .queryExecution()
                .toString();
        assertThat(plan)
                .contains(
                        "onnx.generate[model=" + model.toUri() + "] of questions",
                        "maxNewTokens=7",
                        "limit 3",
                        "GreaterThan(id,2)");
        assertThat(FakeEngines.ATTEMPTS).hasValue(0);
    }
}
