package io.kindling.it;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A Spark Connect server as pip brings it, with the jar, on a free port of this machine. */
final class ConnectServer implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    private final Process process;
    private final Path log;
    private final int port;

    private ConnectServer(Process process, Path log, int port) {
        this.process = process;
        this.log = log;
        this.port = port;
    }

    static ConnectServer start(SparkRelease spark) {
        try {
            int port = freePort();
            Path log = Files.createTempFile("kindling-connect", ".log");
            Process process = spark.builder(
                            SparkRelease.ownJava(),
                            "spark-submit",
                            List.of(
                                    "--master",
                                    "local[2]",
                                    "--conf",
                                    "spark.connect.grpc.binding.port=" + port,
                                    "--jars",
                                    Repository.JAR.toString(),
                                    "--class",
                                    "org.apache.spark.sql.connect.service.SparkConnectServer",
                                    "spark-internal"))
                    .redirectErrorStream(true)
                    .redirectOutput(log.toFile())
                    .start();
            ConnectServer server = new ConnectServer(process, log, port);
            server.awaitPort();
            return server;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    String address() {
        return "sc://localhost:" + port;
    }

    private void awaitPort() throws IOException {
        Instant end = Instant.now().plus(PATIENCE);
        while (!answers()) {
            if (!process.isAlive() || Instant.now().isAfter(end)) {
                String text = Files.readString(log);
                close();
                throw new AssertionError("no Spark Connect server at port " + port + ":\n" + text);
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

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
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
