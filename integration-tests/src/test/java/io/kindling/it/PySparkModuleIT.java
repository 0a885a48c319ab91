package io.kindling.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The PySpark module, its tests run by Python in the releases of Spark and through Spark Connect. */
class PySparkModuleIT {
    private static final Path MODULE = Repository.ROOT.resolve("connector/python");
    private static final String TESTS = MODULE.resolve("tests/test_kindling.py").toString();

    @TempDir
    Path folder;

    /** The whole suite runs in the newest release; the others show that the calls reach the functions. */
    @ParameterizedTest
    @CsvSource({
        "SPARK_3_5_0, KindlingTest.test_generate_with_options_of_every_type, 1",
        "SPARK_4_0_0, KindlingTest.test_generate_with_options_of_every_type, 1",
        "SPARK_4_3_0, '', 18"
    })
    void aSessionOfItsOwn(SparkRelease spark, String tests, int count) {
        Processes.Result result = spark.python(environment(), command(tests)).orFail();
        assertThat(result.err()).contains("Ran " + count + " test").doesNotContain("skipped");
    }

    @Test
    void sparkConnect() {
        try (SparkServer server = SparkServer.connect(SparkRelease.SPARK_4_3_0)) {
            Map<String, String> environment = environment();
            environment.put("SPARK_REMOTE", "sc://localhost:" + server.port());
            Processes.Result result = SparkRelease.SPARK_4_3_0
                    .pythonWithExtras(environment, command(""))
                    .orFail();
            assertThat(result.err()).contains("Ran 18 tests").doesNotContain("skipped");
        }
    }

    @Test
    void pipInstallsAModuleThatPassesATypeChecker() throws IOException {
        Path source = folder.resolve("source");
        copyModule(source);
        Path installed = folder.resolve("installed");
        String tools = Repository.python("tools/pyenv.py", "pyspark-extras");
        run(tools, "-m pip install --quiet --no-deps --no-build-isolation --target", installed, source)
                .orFail();
        assertThat(installed.resolve("kindling/py.typed")).exists();
        Path use = Files.writeString(folder.resolve("use.py"), """
                from pyspark.sql import Column
                from kindling import functions as onnx

                right: Column = onnx.generate("m", "prompt", max_new_tokens=4, temperature=1, chat=True, stop_strings=["."])
                onnx.generate("m", "prompt", max_new_tokenz=4)
                onnx.generate("m", "prompt", max_new_tokens="many")
                """);
        String spark = Repository.python("tools/pyenv.py", "spark-4.3.0");
        Processes.Result result =
                run(tools, "-m mypy --strict --python-executable " + spark, installed.resolve("kindling"), use);
        assertThat(result.out()
                        .lines()
                        .filter(line -> line.contains("error:"))
                        .map(line -> line.replaceAll(".*(use.py:\\d+): .*\\[(.*)]", "$1 $2")))
                .as(result.toString())
                .containsExactly("use.py:5 call-arg", "use.py:6 arg-type");
    }

    private Processes.Result run(String python, String arguments, Path... files) {
        List<String> command = new ArrayList<>(List.of(python));
        command.addAll(List.of(arguments.split(" ")));
        Stream.of(files).map(Path::toString).forEach(command::add);
        return Processes.run(folder, Map.of(), command.toArray(String[]::new));
    }

    private static List<String> command(String tests) {
        return tests.isEmpty() ? List.of(TESTS) : List.of(TESTS, tests);
    }

    private static Map<String, String> environment() {
        Map<String, String> environment = new HashMap<>();
        environment.put("PYTHONPATH", MODULE.resolve("src").toString());
        environment.put("KINDLING_JAR", Repository.JAR.toString());
        environment.put("KINDLING_MODEL", Repository.model().toString());
        environment.put("KINDLING_ENCODER", Repository.encoder().toString());
        return environment;
    }

    /** Builds leave files beside the sources. */
    private static void copyModule(Path target) throws IOException {
        try (var files = Files.walk(MODULE)) {
            for (Path file : files.toList()) {
                Files.copy(file, target.resolve(MODULE.relativize(file)));
            }
        }
    }
}
