package io.kindling.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

/** What applications leave behind when they have ended: nothing but the packages in the node's cache. */
final class Remains {
    private static final long SECONDS = 60;

    private Remains() {}

    /** Executors get some time to end after their driver. */
    static void ofProcesses(String application) {
        List<ProcessHandle> processes = ProcessHandle.allProcesses()
                .filter(process -> process.info().commandLine().orElse("").contains(application))
                .toList();
        try {
            for (ProcessHandle process : processes) {
                process.onExit().get(SECONDS, TimeUnit.SECONDS);
            }
        } catch (TimeoutException still) {
            throw new AssertionError("of " + application + " there are still: "
                    + processes.stream()
                            .filter(ProcessHandle::isAlive)
                            .map(process -> process.info().commandLine().orElse(""))
                            .toList());
        } catch (InterruptedException | ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Checks that no file is half-written and no lock is held; returns the packages' folders. */
    static List<Path> ofNodeCache(Path cache) throws IOException {
        List<Path> packages = new ArrayList<>();
        try (Stream<Path> files = Files.list(cache)) {
            for (Path file : files.toList()) {
                assertThat(file.toString()).doesNotEndWith(".partial");
                if (Files.isDirectory(file)) {
                    packages.add(file);
                } else if (file.toString().endsWith(".lock")) {
                    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE);
                            FileLock lock = channel.tryLock()) {
                        assertThat(lock).as(file + " is free").isNotNull();
                    }
                }
            }
        }
        return packages;
    }

    static void ofTemporaryFiles(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            assertThat(files.filter(Files::isRegularFile)
                            .map(file -> file.getFileName().toString()))
                    .as("temporary files, but for those of a library of Spark's that is killed")
                    .allMatch(name -> name.startsWith("liblz4-java"));
        }
    }

    static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
