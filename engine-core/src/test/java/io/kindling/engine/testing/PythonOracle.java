package io.kindling.engine.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Runs Python of the pinned environments of {@code tools/pyenv.py}. Without Python 3 the test is skipped and says so. */
public final class PythonOracle {
    private PythonOracle() {}

    /** Site-packages folder of an environment. */
    public static Path sitePackages(String environment) throws IOException, InterruptedException {
        return Path.of(lastLine(run(List.of("python3", tool(), environment, "--site"))));
    }

    /** The last line that a script under src/test/python prints. */
    public static String script(String environment, String script, String... arguments)
            throws IOException, InterruptedException {
        String python = lastLine(run(List.of("python3", tool(), environment)));
        List<String> command = new ArrayList<>(List.of(
                python,
                root().resolve("engine-core/src/test/python").resolve(script).toString()));
        command.addAll(List.of(arguments));
        return lastLine(run(command));
    }

    private static String tool() {
        return root().resolve("tools/pyenv.py").toString();
    }

    private static Path root() {
        Path folder = Path.of("").toAbsolutePath();
        while (!Files.exists(folder.resolve("tools/pyenv.py"))) {
            folder = folder.getParent();
        }
        return folder;
    }

    private static String lastLine(String text) {
        return text.strip().lines().reduce("", (before, line) -> line);
    }

    private static String run(List<String> command) throws IOException, InterruptedException {
        Path errors = Files.createTempFile("oracle", ".err");
        Process process;
        try {
            process = new ProcessBuilder(command).redirectError(errors.toFile()).start();
        } catch (IOException noPython) {
            return abort("skipped: " + command.get(0) + " cannot be started, so there is no oracle (" + noPython + ")");
        }
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        int code = process.waitFor();
        assertThat(code).as(() -> command + "\n" + read(errors)).isZero();
        Files.delete(errors);
        return output;
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException fault) {
            return fault.toString();
        }
    }
}
