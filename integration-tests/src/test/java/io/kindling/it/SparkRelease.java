package io.kindling.it;

import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A Spark as pip installs it, oldest and newest of both lines. */
enum SparkRelease {
    SPARK_3_5_0("3.5.0"),
    SPARK_3_5_9("3.5.9"),
    SPARK_4_0_0("4.0.0"),
    SPARK_4_3_0("4.3.0");

    /**
     * Drivers live for seconds, of which Java's optimizing compiler and parallel collector take half. Executors of a cluster, and all of
     * the nightly profile, run with Java's defaults.
     */
    private static final String DRIVER_JAVA =
            System.getProperty("kindling.excluded.tests", "").isEmpty()
                    ? ""
                    : "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC";

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
        return Processes.run(builder(javaHome, command, arguments));
    }

    /** The same, not started yet. */
    ProcessBuilder builder(Path javaHome, String command, List<String> arguments) {
        List<String> whole = new ArrayList<>();
        whole.add(site().resolve("pyspark/bin").resolve(command).toString());
        whole.addAll(List.of("--driver-memory", "2g", "--conf", "spark.ui.enabled=false"));
        whole.addAll(arguments);
        return inRoot(ownPython(), javaHome, whole);
    }

    /** A Python that has this Spark and nothing else. */
    Processes.Result python(Map<String, String> environment, List<String> arguments) {
        return python(ownPython(), environment, arguments);
    }

    /** A Python that has this Spark and what Spark Connect, notebooks and checkers need. */
    Processes.Result pythonWithExtras(Map<String, String> environment, List<String> arguments) {
        return python(Path.of(Repository.python("tools/pyenv.py", "pyspark-extras")), environment, arguments);
    }

    private Processes.Result python(Path python, Map<String, String> environment, List<String> arguments) {
        List<String> whole = new ArrayList<>(List.of(python.toString()));
        whole.addAll(arguments);
        ProcessBuilder builder = inRoot(python, ownJava(), whole);
        builder.environment().putAll(environment);
        builder.environment().merge("PYTHONPATH", site().toString(), (own, site) -> own + File.pathSeparator + site);
        return Processes.run(builder);
    }

    /** A script of bash, in which this Spark's commands, its Python and this JVM's Java are found by name. */
    Processes.Result shell(Path workingFolder, String script) {
        ProcessBuilder builder =
                inRoot(ownPython(), ownJava(), List.of("bash", "-c", script)).directory(workingFolder.toFile());
        Map<String, String> environment = builder.environment();
        environment.put("SPARK_DRIVER_MEMORY", "2g");
        environment.put(
                "PATH",
                String.join(
                        File.pathSeparator,
                        site().resolve("pyspark/bin").toString(),
                        ownJava().resolve("bin").toString(),
                        environment.get("PATH")));
        return Processes.run(builder);
    }

    /** The folder of this Spark's jars. */
    Path jars() {
        return site().resolve("pyspark/jars");
    }

    private ProcessBuilder inRoot(Path python, Path javaHome, List<String> command) {
        ProcessBuilder builder = new ProcessBuilder(command).directory(Repository.ROOT.toFile());
        Map<String, String> environment = builder.environment();
        environment.put("SPARK_HOME", site().resolve("pyspark").toString());
        environment.put("JAVA_HOME", javaHome.toString());
        environment.put("PYSPARK_PYTHON", python.toString());
        environment.put("PATH", python.getParent() + File.pathSeparator + System.getenv("PATH"));
        environment.put("SPARK_LOCAL_HOSTNAME", "localhost");
        environment.put("SPARK_SUBMIT_OPTS", DRIVER_JAVA);
        return builder;
    }

    private Path site() {
        return Path.of(Repository.python("tools/pyenv.py", environment(), "--site"));
    }

    private Path ownPython() {
        return Path.of(Repository.python("tools/pyenv.py", environment()));
    }

    Processes.Result submit(String... arguments) {
        return run(ownJava(), "spark-submit", List.of(arguments));
    }

    /** A Python program in a session with the jar and a module folder, by {@code spark-submit}. */
    Processes.Result submitPython(Path modules, String... program) {
        List<String> arguments = new ArrayList<>(List.of("--master", "local[2]", "--jars", Repository.JAR.toString()));
        arguments.addAll(List.of(program));
        ProcessBuilder builder = builder(ownJava(), "spark-submit", arguments);
        builder.environment().put("PYTHONPATH", modules.toString());
        return Processes.run(builder);
    }

    /**
     * A file of statements by {@code spark-sql}.
     *
     * @param models alias to URI
     * @param scratch for the warehouse
     */
    Processes.Result sql(Path statements, Map<String, Path> models, Path scratch) {
        List<String> arguments = new ArrayList<>(List.of("--master", "local[2]", "--jars", Repository.JAR.toString()));
        models.forEach(
                (alias, uri) -> arguments.addAll(List.of("--conf", "spark.kindling.model." + alias + "=" + uri)));
        arguments.addAll(List.of(
                "--conf",
                "spark.sql.warehouse.dir=" + scratch.resolve("warehouse"),
                "--conf",
                "spark.hadoop.javax.jdo.option.ConnectionURL=jdbc:derby:memory:kindling;create=true",
                "-f",
                statements.toString()));
        return run(ownJava(), "spark-sql", arguments);
    }

    static Path ownJava() {
        return Path.of(System.getProperty("java.home"));
    }
}
