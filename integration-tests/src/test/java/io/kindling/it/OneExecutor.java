package io.kindling.it;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Jobs whose memory is watched: a driver and one executor of two cores, each with a heap of 512 MiB. */
final class OneExecutor {
    /** The heap is taken at once, so that what grows is not hidden in it, nor taken for a leak. */
    private static final String HEAP_TAKEN = "-Xms512m -XX:+AlwaysPreTouch ";

    private OneExecutor() {}

    /**
     * Runs a script of this project's resources.
     *
     * @param folder of the test; the node's cache lies there
     * @param javaOptions for both processes
     * @param settings of Spark
     */
    static Processes.Result run(
            SparkRelease spark,
            Path folder,
            String javaOptions,
            List<String> settings,
            long minutes,
            String script,
            String... arguments) {
        List<String> whole = new ArrayList<>(List.of(
                "--master",
                "local-cluster[1,2,1024]",
                "--driver-memory",
                "512m",
                "--driver-java-options",
                HEAP_TAKEN + javaOptions,
                "--jars",
                Repository.JAR.toString()));
        List<String> all = new ArrayList<>(List.of(
                "spark.executor.cores=2",
                "spark.executor.memory=512m",
                "spark.executor.extraJavaOptions=" + HEAP_TAKEN + javaOptions,
                "spark.kindling.distribution=broadcast",
                "spark.kindling.cacheDir=" + folder.resolve("cache")));
        all.addAll(settings);
        for (String setting : all) {
            whole.addAll(List.of("--conf", setting));
        }
        whole.add(Repository.ROOT
                .resolve("integration-tests/src/test/resources")
                .resolve(script)
                .toString());
        whole.addAll(List.of(arguments));
        return Processes.run(spark.builder(SparkRelease.ownJava(), "spark-submit", whole), minutes)
                .orFail();
    }
}
