package io.kindling.spark.shim35;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kindling.spark.LocalSpark;
import java.nio.file.Path;
import java.util.List;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Options that come from columns: what is wrong with the value in one row is that row's fault. */
class RowOptionsTest {
    @RegisterExtension
    static final LocalSpark SPARK = new LocalSpark();

    @TempDir
    Path model;

    @BeforeEach
    void table() {
        SPARK.session().conf().set("spark.kindling.model.m", model.toUri().toString());
        SPARK.session().sql("SELECT id, concat('q', id) q FROM range(1, 4)").createOrReplaceTempView("t");
    }

    private static List<Row> sql(String query) {
        return SPARK.session().sql(query).collectAsList();
    }

    @Test
    void aBadValueIsTheFaultOfItsRow() {
        assertThat(sql("SELECT d.text, d.error_code, d.error FROM (SELECT id, onnx.generate_details('m', q,"
                        + " map('max_new_tokens', id - 1)) d FROM t) ORDER BY id"))
                .containsExactly(
                        RowFactory.create(
                                null,
                                "INVALID_OPTION",
                                "option 'max_new_tokens' must be an integer from 1 to 1048576, not '0'"),
                        RowFactory.create("re: q2 max 1", null, null),
                        RowFactory.create("re: q3 max 2", null, null));
        assertThat(sql("SELECT id FROM t WHERE onnx.embed('m', q, map('pooling', IF(id = 2, 'sum', 'mean'))) IS NULL"))
                .containsExactly(RowFactory.create(2L));
    }

    @Test
    void theRowSaysWhetherItEndsTheJob() {
        for (String call : List.of("generate('m', q, map('max_new_tokens'", "embed('m', q, map('max_tokens'")) {
            assertThatThrownBy(
                            () -> sql("SELECT onnx." + call + ", IF(id = 2, '-1', '1'), 'on_error', 'fail')) FROM t"))
                    .as(call)
                    .hasStackTraceContaining("INVALID_OPTION")
                    .hasStackTraceContaining("failed and onError is 'fail'");
        }
    }

    @Test
    void aNameThatIsNoneIsTheFaultOfTheQuery() {
        assertThatThrownBy(() -> sql("SELECT onnx.generate('m', q, map('max_new_tokenz', id)) FROM t"))
                .hasStackTraceContaining("unknown option 'max_new_tokenz', did you mean 'max_new_tokens'?");
        assertThatThrownBy(
                        () -> sql("SELECT onnx.generate('m', q, map('max_new_tokens', id, 'maxNewTokens', id)) FROM t"))
                .hasStackTraceContaining("option 'max_new_tokens' is given twice");
        assertThatThrownBy(() -> sql("SELECT onnx.generate('m', q, map('max_tokens', id, 'on_error', 'null')) FROM t"))
                .hasStackTraceContaining("option 'max_tokens' cannot be given here");
    }
}
