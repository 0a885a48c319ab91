package io.kindling.it;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A server of Spark as pip brings it, with the jar, on a free port of this machine. */
final class SparkServer implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    private final Process process;
    private final Path log;
    private final int port;

    private SparkServer(Process process, Path log, int port) {
        this.process = process;
        this.log = log;
        this.port = port;
    }

    /** A Spark Connect server. */
    static SparkServer connect(SparkRelease spark) {
        int port = Processes.freePort();
        return start(
                spark,
                port,
                List.of("--conf", "spark.connect.grpc.binding.port=" + port),
                "org.apache.spark.sql.connect.service.SparkConnectServer",
                List.of());
    }

    /**
     * A Thrift server, which JDBC reaches.
     *
     * @param settings as {@code --conf} has them
     */
    static SparkServer thrift(SparkRelease spark, List<String> settings) {
        int port = Processes.freePort();
        List<String> options = new ArrayList<>();
        settings.forEach(setting -> options.addAll(List.of("--conf", setting)));
        return start(
                spark,
                port,
                options,
                "org.apache.spark.sql.hive.thriftserver.HiveThriftServer2",
                List.of(
                        "--hiveconf",
                        "hive.server2.thrift.port=" + port,
                        "--hiveconf",
                        "hive.server2.thrift.bind.host=localhost"));
    }

    private static SparkServer start(
            SparkRelease spark, int port, List<String> options, String main, List<String> arguments) {
        List<String> whole = new ArrayList<>(List.of("--master", "local[2]", "--jars", Repository.JAR.toString()));
        whole.addAll(options);
        whole.addAll(List.of("--class", main, "spark-internal"));
        whole.addAll(arguments);
        try {
            Path log = Files.createTempFile("kindling-server", ".log");
            Process process = spark.builder(SparkRelease.ownJava(), "spark-submit", whole)
                    .redirectErrorStream(true)
                    .redirectOutput(log.toFile())
                    .start();
            SparkServer server = new SparkServer(process, log, port);
            server.awaitPort();
            return server;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    int port() {
        return port;
    }

    private void awaitPort() throws IOException {
        Instant end = Instant.now().plus(PATIENCE);
        while (!answers()) {
            if (!process.isAlive() || Instant.now().isAfter(end)) {
                String text = Files.readString(log);
                close();
                throw new AssertionError("no server at port " + port + ":\n" + text);
            }
            try {
                TimeUnit.MILLISECONDS.sleep(200);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException(e);
            }
        }
    }

    private boolean answers() {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress("localhost", port), 1000);
            return true;
        } catch (IOException notYet) {
            return false;
        }
    }

    @Override
    public void close() {
        process.destroy();
        process.onExit().join();
        try {
            Files.deleteIfExists(log);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
