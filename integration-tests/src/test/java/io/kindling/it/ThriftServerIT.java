package io.kindling.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The functions and tables of a model over JDBC: Spark's beeline at Spark's Thrift server. */
class ThriftServerIT {
    @TempDir
    Path folder;

    @ParameterizedTest
    @EnumSource(names = {"SPARK_3_5_9", "SPARK_4_3_0"})
    void aClientOfJdbcAsksModelsInSql(SparkRelease spark) throws IOException {
        check(spark);
    }

    @Test
    @Tag("nightly")
    void aClientOfJdbcAsksModelsInSqlOfTheOldestSpark4() throws IOException {
        check(SparkRelease.SPARK_4_0_0);
    }

    private void check(SparkRelease spark) throws IOException {
        Path model = folder.resolve("scripted");
        Repository.python("tools/scripted_model.py", model.toString());
        Path statements = Files.writeString(folder.resolve("statements.sql"), """
                SELECT count(a), count(DISTINCT id), onnx.count_tokens('m', 'four')
                  FROM (SELECT id, onnx.generate('m', concat('row ', id), map('max_new_tokens', 3)) a FROM range(20));
                EXPLAIN SELECT onnx.generate('m', concat('row ', id)) FROM range(20);
                SHOW TABLES IN onnx.m;
                SELECT onnx.generate('m', 'a', map('max_new_token', 3));
                """);
        try (SparkServer server = SparkServer.thrift(
                spark,
                List.of(
                        "spark.kindling.model.m=" + model.toUri(),
                        "spark.sql.warehouse.dir=" + folder.resolve("warehouse"),
                        "spark.hadoop.javax.jdo.option.ConnectionURL=jdbc:derby:memory:kindling;create=true"))) {
            Processes.Result result = spark.shell(
                    folder,
                    "beeline -u jdbc:hive2://localhost:" + server.port() + "/ --outputformat=tsv2 --force=true -f "
                            + statements);

            assertThat(result.out()).contains("20\t20\t4", "OnnxBatch", "m\tports", "m\tweights");
            assertThat(result.err()).contains("unknown option 'max_new_token'", "max_new_tokens");
        }
    }
}
