package io.kindling.it;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/** A JDK 25 beside the one that runs the tests, where there is one. */
final class Java25 {
    private static final List<String> VARIABLES = List.of("JAVA_HOME_25", "JAVA_HOME_25_X64", "JAVA_25_HOME");
    private static final List<Path> FOLDERS =
            List.of(Path.of("/usr/lib/jvm"), Path.of("/Library/Java/JavaVirtualMachines"), Path.of("/opt"));

    private Java25() {}

    static Path homeOrSkip() {
        Optional<Path> home = find();
        Assumptions.assumeTrue(
                home.isPresent(), "no JDK 25 found: set JAVA_HOME_25, or install one below one of " + FOLDERS);
        return home.orElseThrow();
    }

    private static Optional<Path> find() {
        Stream<Path> named = VARIABLES.stream()
                .map(System::getenv)
                .filter(value -> value != null && !value.isEmpty())
                .map(Path::of);
        Stream<Path> installed = FOLDERS.stream().filter(Files::isDirectory).flatMap(Java25::children);
        return Stream.concat(named, installed).filter(Java25::isJava25).findFirst();
    }

    private static Stream<Path> children(Path folder) {
        try (Stream<Path> children = Files.list(folder)) {
            return children.flatMap(child -> Stream.of(child, child.resolve("Contents/Home"))).toList().stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean isJava25(Path home) {
        try {
            return Files.isExecutable(home.resolve("bin/java"))
                    && Files.readString(home.resolve("release")).contains("JAVA_VERSION=\"25");
        } catch (IOException e) {
            return false; // a folder of something else
        }
    }
}
