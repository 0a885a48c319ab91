package io.kindling.it;

import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A Spark as pip installs it, oldest and newest of both lines. */
enum SparkRelease {
    SPARK_3_5_0("3.5.0"),
    SPARK_3_5_9("3.5.9"),
    SPARK_4_0_0("4.0.0"),
    SPARK_4_3_0("4.3.0");

    private final String version;

    SparkRelease(String version) {
        this.version = version;
    }

    @Override
    public String toString() {
        return "Spark " + version;
    }

    boolean isLine4() {
        return version.startsWith("4.");
    }

    private String environment() {
        return "spark-" + version;
    }

    /** One of Spark's own commands ({@code spark-submit}, {@code spark-sql}), on this JVM's Java unless told otherwise. */
    Processes.Result run(Path javaHome, String command, List<String> arguments) {
        Path home = Path.of(Repository.python("tools/pyenv.py", environment(), "--site"), "pyspark");
        Path python = Path.of(Repository.python("tools/pyenv.py", environment()));
        Map<String, String> environment = new HashMap<>();
        environment.put("SPARK_HOME", home.toString());
        environment.put("JAVA_HOME", javaHome.toString());
        environment.put("PYSPARK_PYTHON", python.toString());
        environment.put("PATH", python.getParent() + File.pathSeparator + System.getenv("PATH"));
        environment.put("SPARK_LOCAL_HOSTNAME", "localhost");
        List<String> whole = new ArrayList<>();
        whole.add(home.resolve("bin").resolve(command).toString());
        whole.addAll(List.of("--driver-memory", "2g", "--conf", "spark.ui.enabled=false"));
        whole.addAll(arguments);
        return Processes.run(Repository.ROOT, environment, whole.toArray(String[]::new));
    }

    Processes.Result submit(String... arguments) {
        return run(ownJava(), "spark-submit", List.of(arguments));
    }

    static Path ownJava() {
        return Path.of(System.getProperty("java.home"));
    }
}
