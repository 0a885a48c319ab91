package io.kindling.spark;

import io.kindling.spark.runtime.FakeEngines;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** A local Spark of four cores that would try failed tasks four times, as a cluster does, and the fake engine. */
public final class LocalSpark implements BeforeAllCallback, BeforeEachCallback, AfterAllCallback {
    private SparkSession session;

    @Override
    public void beforeAll(ExtensionContext context) throws Exception {
        Path warehouse = Files.createTempDirectory("kindling-warehouse");
        session = SparkSession.builder()
                .master("local[4,4]")
                .config("spark.ui.enabled", false)
                .config("spark.sql.shuffle.partitions", 4)
                .config("spark.sql.warehouse.dir", warehouse.toString())
                .getOrCreate();
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        FakeEngines.install();
    }

    @Override
    public void afterAll(ExtensionContext context) {
        session.stop();
    }

    public SparkSession session() {
        return session;
    }
}
