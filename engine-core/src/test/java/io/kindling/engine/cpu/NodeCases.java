package io.kindling.engine.cpu;

import static org.assertj.core.api.Assertions.assertThat;

import io.kindling.engine.testing.ModelPackages;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/** ONNX's own backend node cases, written by the onnx package of the oracle environment. */
public final class NodeCases {
    private static final Path MODULE = Path.of("").toAbsolutePath();
    private static final Path NAMES = MODULE.resolve("src/test/resources/io/kindling/engine/cpu/node-cases.txt");

    /** Cases whose outputs are random. */
    public static final Predicate<String> RANDOM = Pattern.compile(
                    "test_bernoulli.*|test_training_dropout(_default)?(_mask)?")
            .asMatchPredicate();

    private NodeCases() {}

    /** What becomes of each case, by name: {@code pass}, {@code unsupported} or {@code fail}. */
    public static Map<String, String> expected() throws IOException {
        Map<String, String> expected = new TreeMap<>();
        for (String line : Files.readAllLines(NAMES)) {
            String[] fields = line.split(" ");
            expected.put(fields[0], fields.length == 1 ? "pass" : fields[1]);
        }
        return expected;
    }

    /** The folder of the cases, made on first use and kept for as long as list, writer and environments stay the same. */
    public static Path folder() throws IOException, InterruptedException, NoSuchAlgorithmException {
        Path writer = MODULE.resolve("src/test/python/write_node_cases.py");
        Path environments = MODULE.resolveSibling("tools/pyenv.py");
        MessageDigest digest = MessageDigest.getInstance("SHA-256");
        for (Path source : List.of(NAMES, writer, environments)) {
            // The marks behind the names do not change the cases.
            for (String line : Files.readAllLines(source)) {
                digest.update((source == NAMES ? line.split(" ")[0] : line).getBytes(StandardCharsets.UTF_8));
            }
        }
        String key = HexFormat.of().formatHex(digest.digest(), 0, 6);
        Path folder = ModelPackages.cache().resolve("onnx-node-cases").resolve(key);
        if (!Files.isDirectory(folder)) {
            String python = run("python3", environments.toString(), "oracle").strip();
            run(python, "-W", "ignore::RuntimeWarning", writer.toString(), NAMES.toString(), folder.toString());
        }
        return folder;
    }

    private static String run(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor())
                .as("exit status of %s", Arrays.toString(command))
                .isZero();
        return output;
    }
}
