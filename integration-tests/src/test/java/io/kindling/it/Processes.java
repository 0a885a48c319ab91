package io.kindling.it;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Starts programs and waits for them. */
final class Processes {
    private static final long MINUTES = 10;

    private Processes() {}

    /** What became of a program. */
    record Result(List<String> command, int exitCode, String out, String err) {
        Result orFail() {
            if (exitCode != 0) {
                throw new AssertionError(this);
            }
            return this;
        }

        String lastLine() {
            List<String> lines = out.lines().toList();
            return lines.isEmpty() ? "" : lines.get(lines.size() - 1);
        }

        @Override
        public String toString() {
            return String.join(" ", command) + "\nexit code " + exitCode + "\n--- stdout\n" + end(out)
                    + "\n--- stderr\n" + end(err);
        }

        private static String end(String text) {
            return text.substring(Math.max(0, text.length() - 8000));
        }
    }

    static Result run(Path folder, Map<String, String> environment, String... command) {
        ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile());
        builder.environment().putAll(environment);
        return run(builder);
    }

    static Result run(ProcessBuilder builder) {
        return run(builder, MINUTES);
    }

    static Result run(ProcessBuilder builder, long minutes) {
        try {
            Path out = Files.createTempFile("kindling", ".out");
            Path err = Files.createTempFile("kindling", ".err");
            Process process = builder.redirectOutput(out.toFile())
                    .redirectError(err.toFile())
                    .start();
            boolean ended = process.waitFor(minutes, TimeUnit.MINUTES);
            if (!ended) {
                process.descendants().forEach(ProcessHandle::destroyForcibly);
                process.destroyForcibly().waitFor();
            }
            Result result = new Result(
                    builder.command(),
                    process.exitValue(),
                    Files.readString(out, StandardCharsets.UTF_8),
                    Files.readString(err, StandardCharsets.UTF_8));
            Files.delete(out);
            Files.delete(err);
            if (!ended) {
                throw new AssertionError("not done after " + minutes + " minutes: " + result);
            }
            return result;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** A port of this machine that nothing listens at. */
    static int freePort() {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
