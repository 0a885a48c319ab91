package io.kindling.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/**
 * Applications on a master and two workers whose executors come and go, are decommissioned, and lose their
 * driver: sampled answers are those of an undisturbed run, nothing is done twice, nothing stays behind, and an application finds the
 * model where another one put it.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ElasticIT {
    private static final SparkRelease SPARK = SparkRelease.SPARK_4_3_0;
    private static final int ROWS = 480;
    private static final String WRITTEN = "model package .+ was written, ";
    private static final String CLOSED = "the models of this executor are closed";

    @TempDir
    static Path folder;

    private static StandaloneCluster cluster;
    private static String model;
    private static Map<String, String> expected;

    @BeforeAll
    static void undisturbed() throws IOException {
        assumeTrue(Files.isReadable(Path.of("/proc/self/maps")), "needs Linux's /proc to see executors");
        model = Repository.python(
                "tools/scripted_model.py", folder.resolve("model").toString());
        Files.createDirectory(folder.resolve("tmp"));
        Files.createDirectory(folder.resolve("gates"));
        elastic("calm", "local[2]");
        expected = Rows.read(folder.resolve("calm"), "answer");
        assertThat(expected).hasSize(ROWS).doesNotContainValue(null);
        assertThat(expected.values().stream().distinct()).hasSizeGreaterThan(ROWS / 2);
        cluster = new StandaloneCluster(SPARK, folder, 2, "2g");
    }

    @AfterAll
    static void stop() {
        if (cluster != null) {
            cluster.close();
        }
    }

    private static List<String> arguments(String master, String script, String... settings) {
        List<String> arguments = new ArrayList<>(List.of("--master", master, "--jars", Repository.JAR.toString()));
        for (String setting : List.of(
                "spark.executor.cores=1",
                "spark.executor.memory=512m",
                "spark.executor.extraJavaOptions=-Djava.io.tmpdir=" + folder.resolve("tmp"),
                "spark.plugins=io.kindling.spark.KindlingPlugin",
                "spark.kindling.distribution=broadcast",
                "spark.kindling.cacheDir=" + folder.resolve("cache"))) {
            arguments.addAll(List.of("--conf", setting));
        }
        for (String setting : settings) {
            arguments.addAll(List.of("--conf", setting));
        }
        arguments.add(Repository.ROOT
                .resolve("integration-tests/src/test/resources")
                .resolve(script)
                .toString());
        return arguments;
    }

    private static Map<String, JsonNode> elastic(String name, String master, String... settings) throws IOException {
        List<String> arguments = arguments(master, "elastic.py", settings);
        arguments.addAll(
                List.of(name, model, folder.toString(), folder.resolve("gates").toString()));
        Processes.Result result = SPARK.submit(arguments.toArray(String[]::new)).orFail();
        Map<String, JsonNode> reports = new HashMap<>();
        for (String line :
                result.out().lines().filter(text -> text.startsWith("{")).toList()) {
            JsonNode report = Rows.JSON.readTree(line);
            reports.put(report.get("case").asText(), report);
        }
        return reports;
    }

    private static void checkAnswers(String run) {
        assertThat(Rows.lines(folder.resolve(run))).as(run + ": no key twice").hasSize(ROWS);
        assertThat(Rows.read(folder.resolve(run), "answer")).as(run).isEqualTo(expected);
    }

    /** What executors of an application told their logs, by the executors' numbers. */
    private static Map<String, String> logs(String application) throws IOException {
        Map<String, String> logs = new TreeMap<>();
        for (String worker : List.of("worker-1", "worker-2")) {
            Path executors = folder.resolve(worker).resolve(application);
            if (Files.isDirectory(executors)) {
                try (Stream<Path> folders = Files.list(executors)) {
                    for (Path executor : folders.toList()) {
                        logs.put(executor.getFileName().toString(), Files.readString(executor.resolve("stderr")));
                    }
                }
            }
        }
        return logs;
    }

    /** How often executors of an application wrote the model to the node's cache; each of the others that used it found it there. */
    private static long writes(String application) throws IOException {
        return logs(application).values().stream()
                .flatMap(String::lines)
                .filter(line -> line.matches(".*" + WRITTEN + ".*"))
                .count();
    }

    private static void checkNothingIsLeft(String application) throws IOException {
        Remains.ofProcesses(application);
        assertThat(Remains.ofNodeCache(folder.resolve("cache"))).hasSize(1);
        Remains.ofTemporaryFiles(folder.resolve("tmp"));
    }

    @Test
    void executorsThatComeAndGoLeaveAnswersAsTheyAre() throws IOException {
        damage(Remains.ofNodeCache(folder.resolve("cache")).get(0));
        Map<String, JsonNode> reports = elastic(
                "allocation",
                cluster.url(),
                "spark.dynamicAllocation.enabled=true",
                "spark.dynamicAllocation.shuffleTracking.enabled=true",
                "spark.dynamicAllocation.shuffleTracking.timeout=2s",
                "spark.dynamicAllocation.executorIdleTimeout=2s",
                "spark.dynamicAllocation.cachedExecutorIdleTimeout=2s",
                "spark.dynamicAllocation.minExecutors=0",
                "spark.dynamicAllocation.maxExecutors=3");
        assertThat(reports.get("allocated").get("faults")).isEmpty();
        assertThat(reports.get("idle").get("executors").asInt()).isZero();
        checkAnswers("allocated");
        checkAnswers("shuffled");
        String application = reports.get("ids").get("application").asText();
        assertThat(writes(application))
                .as("a damaged model is written again, once for all executors")
                .isEqualTo(1);
        checkNothingIsLeft(application);
    }

    /** The last one, since its worker takes no more executors. */
    @Test
    @Order(Integer.MAX_VALUE)
    void decommissionedExecutorsEndTheirTasksAndCloseTheirModels() throws IOException {
        Map<String, JsonNode> reports = elastic(
                "decommission",
                cluster.url(),
                "spark.cores.max=2",
                "spark.decommission.enabled=true",
                "spark.storage.decommission.enabled=true",
                "spark.storage.decommission.shuffleBlocks.enabled=true",
                "spark.storage.decommission.rddBlocks.enabled=true");
        String application = reports.get("ids").get("application").asText();
        Map<String, String> logs = logs(application);
        for (String name : List.of("executor", "worker")) {
            assertThat(reports.get(name).get("faults")).as(name).isEmpty();
            JsonNode left = reports.get(name + "-left");
            assertThat(left.get("ran").asBoolean())
                    .as(name + ": its task goes on")
                    .isTrue();
            assertThat(logs.get(left.get("number").asText())).as(name).contains(CLOSED);
            checkAnswers(name);
        }
        assertThat(writes(application)).as("another application left the model").isZero();
        checkNothingIsLeft(application);
    }

    @Test
    void whatADriverWroteBeforeItWasKilledIsNotDoneAgain() throws Exception {
        Path out = folder.resolve("resumed");
        Path hold = folder.resolve("hold");
        List<String> arguments = arguments(cluster.url(), "resume_killed.py", "spark.cores.max=2");
        arguments.addAll(List.of(model, out.toString(), String.valueOf(ROWS)));
        List<String> held = new ArrayList<>(arguments);
        held.add(hold.toString());
        Process driver = SPARK.builder(SparkRelease.ownJava(), "spark-submit", held)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("killed.log").toFile())
                .start();
        long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(10);
        while (!(Files.exists(hold) && hasEndedTask(out)) && driver.isAlive() && System.nanoTime() < end) {
            TimeUnit.MILLISECONDS.sleep(100);
        }
        assertThat(hold).as(() -> Remains.text(folder.resolve("killed.log"))).exists();
        assertThat(hasEndedTask(out))
                .as("an ended task of the job in mid-stage")
                .isTrue();
        Stream.concat(Stream.of(driver.toHandle()), driver.descendants()).forEach(ProcessHandle::destroyForcibly);
        driver.waitFor();
        String killed = Files.readString(hold);
        long found = committedRows(out);
        assertThat(found).isPositive().isLessThan(ROWS);

        JsonNode report = Rows.JSON.readTree(
                SPARK.submit(arguments.toArray(String[]::new)).orFail().lastLine());
        assertThat(report.get("found").asLong()).isEqualTo(found);
        assertThat(report.get("written").asLong()).isEqualTo(ROWS - found);
        assertThat(report.get("given").asLong()).as("rows given to the model").isEqualTo(ROWS - found);
        assertThat(report.get("left").asLong()).isZero();
        checkAnswers("resumed");
        assertThat(out).isDirectoryNotContaining("glob:**/_temporary");
        String application = report.get("application").asText();
        assertThat(writes(application)).as("another application left the model").isZero();
        checkNothingIsLeft(application);
        checkNothingIsLeft(killed);
    }

    /** Whether Hadoop's committer holds the rows of a task whose job goes on. */
    private static boolean hasEndedTask(Path out) throws IOException {
        Path jobs = out.resolve("_temporary");
        try (Stream<Path> found =
                Files.isDirectory(jobs) ? Files.find(jobs, 2, ElasticIT::isEndedTask) : Stream.empty()) {
            return found.findAny().isPresent();
        } catch (NoSuchFileException | UncheckedIOException endedMeanwhile) {
            return false;
        }
    }

    private static boolean isEndedTask(Path file, BasicFileAttributes attributes) {
        return file.getFileName().toString().startsWith("task_");
    }

    /** Without those of tasks whose job did not end, which lie in a folder below. */
    private static long committedRows(Path out) throws IOException {
        try (Stream<Path> files = Files.list(out)) {
            return files.filter(file -> file.toString().endsWith(".json"))
                    .mapToLong(file -> Rows.lines(file).size())
                    .sum();
        }
    }

    private static void damage(Path cached) throws IOException {
        Path graph = cached.resolve("model.onnx");
        byte[] content = Files.readAllBytes(graph);
        content[content.length / 2] ^= 1;
        Files.write(graph, content);
    }
}
