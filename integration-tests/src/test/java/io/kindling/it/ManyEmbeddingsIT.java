package io.kindling.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A hundred thousand texts become vectors of all-MiniLM-L6-v2 in little memory, and some of them are what ONNX Runtime makes. */
@Tag("nightly")
class ManyEmbeddingsIT {
    private static final int ROWS = 100_000;
    private static final int SIZE = 384;
    private static final long ALLOWED_MINUTES = 120;

    @TempDir
    Path folder;

    @Test
    void aHundredThousandEmbeddingsLeaveMemoryFlat() throws IOException {
        assumeTrue(
                Files.isReadable(Path.of("/proc/self/status")), "needs Linux's /proc to read the memory of processes");
        String model = Repository.python("tools/testmodel.py", "--encoder-float32");
        Path spot = folder.resolve("spot.json");
        Processes.Result result = OneExecutor.run(
                SparkRelease.SPARK_4_3_0,
                folder,
                "",
                List.of(),
                ALLOWED_MINUTES,
                "many_embeddings.py",
                model,
                folder.resolve("out").toString(),
                String.valueOf(ROWS),
                spot.toString());
        JsonNode report = Rows.JSON.readTree(result.lastLine());
        MemorySamples samples = new MemorySamples(report);
        System.out.println(report.get("seconds") + " s: " + samples);
        for (String all : List.of("n", "ids", "vectors", "different")) {
            assertThat(report.get(all).asInt()).as(all).isEqualTo(ROWS);
        }
        assertThat(report.get("least").asInt()).isEqualTo(SIZE);
        assertThat(report.get("most").asInt()).isEqualTo(SIZE);
        samples.checkFlat();
        samples.checkThatRowsLeaveWhileOthersAreRead();
        String cosine = Processes.run(
                        Repository.ROOT,
                        Map.of(),
                        Repository.python("tools/pyenv.py", "oracle"),
                        "integration-tests/src/test/resources/embedding_oracle.py",
                        model,
                        spot.toString())
                .orFail()
                .lastLine();
        System.out.println("least cosine with ONNX Runtime: " + cosine);
        assertThat(Double.parseDouble(cosine)).isGreaterThan(0.99);
    }
}
