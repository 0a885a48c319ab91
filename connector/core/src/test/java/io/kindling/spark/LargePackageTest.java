package io.kindling.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.Stream;
import org.apache.spark.sql.Encoders;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A package over 2 GiB, which no Java array holds: a file of holes with marks at its ends and beyond the limit. */
@Tag("nightly")
class LargePackageTest {
    private static final long SIZE = (2L << 30) + (100L << 20) + 5;
    private static final long BEYOND = (2L << 30) + 3;
    private static final String MARK = "here";

    @RegisterExtension
    static final LocalSpark SPARK = new LocalSpark();

    @TempDir
    Path model;

    @TempDir
    Path cache;

    private static ByteBuffer mark() {
        return ByteBuffer.wrap(MARK.getBytes(StandardCharsets.US_ASCII));
    }

    private static String markAt(Path file, long offset) throws IOException {
        ByteBuffer read = ByteBuffer.allocate(MARK.length());
        try (FileChannel channel = FileChannel.open(file)) {
            channel.read(read, offset);
        }
        return new String(read.array(), StandardCharsets.US_ASCII);
    }

    @Test
    void isBroadcastAndWrittenWhole() throws IOException {
        Path weights = model.resolve("model.onnx.data");
        try (FileChannel channel = FileChannel.open(
                weights, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.SPARSE)) {
            for (long offset : new long[] {0, BEYOND, SIZE - MARK.length()}) {
                channel.write(mark(), offset);
            }
        }
        var rows = SPARK.session()
                .createDataset(List.of("a", "b"), Encoders.STRING())
                .toDF("q");
        assertThat(Generation.of(model.toUri().toString())
                        .prompt("{q}")
                        .option("distribution", "broadcast")
                        .option("cacheDir", cache)
                        .apply(rows)
                        .collectAsList())
                .hasSize(2);
        try (Stream<Path> packages = Files.list(cache)) {
            Path written = packages.filter(Files::isDirectory)
                    .findFirst()
                    .orElseThrow()
                    .resolve("model.onnx.data");
            assertThat(written).hasSize(SIZE);
            assertThat(markAt(written, BEYOND)).isEqualTo(MARK);
            assertThat(markAt(written, SIZE - MARK.length())).isEqualTo(MARK);
            assertThat(Files.mismatch(weights, written)).isEqualTo(-1);
        }
    }
}
