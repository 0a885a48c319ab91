package io.kindling.it;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A master and two workers of Spark's own cluster manager on this machine, until closed. */
final class StandaloneCluster implements AutoCloseable {
    private static final long STEPS = 600;

    private final List<Process> processes = new ArrayList<>();
    private final SparkRelease spark;
    private final Path folder;
    private final int port;

    StandaloneCluster(SparkRelease spark, Path folder, int coresPerWorker, String memoryPerWorker) {
        this.spark = spark;
        this.folder = folder;
        port = Processes.freePort();
        try {
            start(
                    "master",
                    "org.apache.spark.deploy.master.Master",
                    "--port",
                    String.valueOf(port),
                    "--webui-port",
                    "0");
            awaitMaster();
            for (String worker : List.of("worker-1", "worker-2")) {
                start(
                        worker,
                        "org.apache.spark.deploy.worker.Worker",
                        "--cores",
                        String.valueOf(coresPerWorker),
                        "--memory",
                        memoryPerWorker,
                        "--webui-port",
                        "0",
                        "--work-dir",
                        folder.resolve(worker).toString(),
                        url());
            }
        } catch (RuntimeException | Error fault) {
            close();
            throw fault;
        }
    }

    String url() {
        return "spark://localhost:" + port;
    }

    private void start(String name, String mainClass, String... arguments) {
        Path home = spark.jars().getParent();
        List<String> command =
                new ArrayList<>(List.of(home.resolve("bin/spark-class").toString(), mainClass, "--host", "localhost"));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve(name + ".log").toFile());
        builder.environment().put("SPARK_HOME", home.toString());
        builder.environment().put("JAVA_HOME", SparkRelease.ownJava().toString());
        builder.environment().put("SPARK_DAEMON_MEMORY", "256m");
        builder.environment().put("SPARK_WORKER_OPTS", "-Dspark.decommission.enabled=true");
        builder.environment().put("SPARK_LOCAL_HOSTNAME", "localhost");
        try {
            processes.add(builder.start());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void awaitMaster() {
        for (long step = 0; step < STEPS; step++) {
            try {
                new Socket("localhost", port).close();
                return;
            } catch (IOException notYet) {
                sleep();
            }
        }
        throw new AssertionError("the master does not listen:\n" + log());
    }

    private String log() {
        try {
            return Files.readString(folder.resolve("master.log"));
        } catch (IOException e) {
            return e.toString();
        }
    }

    private static void sleep() {
        try {
            TimeUnit.MILLISECONDS.sleep(200);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        processes.forEach(Process::destroy);
        processes.forEach(process -> process.onExit().join());
    }
}
