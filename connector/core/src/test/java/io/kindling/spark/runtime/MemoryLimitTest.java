package io.kindling.spark.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.kindling.spark.config.MemoryOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.spark.SparkConf;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MemoryLimitTest {
    private static final long MIB = 1L << 20;
    private static final MemoryOptions UNSET = new MemoryOptions(0, 0, 0);

    @TempDir
    Path root;

    private static ProcessMemory process(long heapMib, OptionalLong cgroupMib, long availableMib) {
        return new ProcessMemory(
                heapMib * MIB,
                heapMib * MIB,
                cgroupMib.isPresent() ? OptionalLong.of(cgroupMib.getAsLong() * MIB) : OptionalLong.empty(),
                availableMib * MIB);
    }

    private static SparkConf conf(String master, String... settings) {
        SparkConf conf = new SparkConf(false).set("spark.master", master);
        for (int k = 0; k < settings.length; k += 2) {
            conf.set(settings[k], settings[k + 1]);
        }
        return conf;
    }

    private static MemoryLimit limit(SparkConf conf, ProcessMemory process) {
        return MemoryLimit.of(UNSET, Optional.of(conf), true, process, 0);
    }

    @Test
    void whatIsSetCounts() {
        MemoryLimit limit = MemoryLimit.of(
                new MemoryOptions(700 * MIB, 0, 0),
                Optional.of(conf("yarn")),
                true,
                process(1024, OptionalLong.of(1400), 100),
                0);
        assertThat(limit.bytes()).isEqualTo(700 * MIB);
        assertThat(limit.toHave(800 * MIB)).isEqualTo("raise spark.kindling.memory.total to 800 MiB");
    }

    @Test
    void containersHaveTheirOverheadLessTheJvm() {
        ProcessMemory roomy = process(4096, OptionalLong.empty(), 60_000);
        assertThat(limit(conf("yarn", "spark.executor.memory", "1g"), roomy).bytes())
                .as("the least overhead of 384 MiB")
                .isEqualTo((384 - 256) * MIB);
        assertThat(limit(conf("yarn", "spark.executor.memory", "20g"), roomy).bytes())
                .as("a tenth of 20 GiB")
                .isEqualTo((2048 - 256) * MIB);
        assertThat(limit(conf("k8s://x", "spark.kubernetes.memoryOverheadFactor", "0.5"), roomy)
                        .bytes())
                .isEqualTo((512 - 256) * MIB);
        MemoryLimit set = limit(conf("yarn", "spark.executor.memoryOverhead", "3000"), roomy);
        assertThat(set.bytes()).isEqualTo((3000 - 256) * MIB);
        assertThat(set.source()).contains("spark.executor.memoryOverhead, 3000 MiB");
        assertThat(set.toHave(4096 * MIB)).contains("set spark.executor.memoryOverhead so that 4096 MiB remain");
    }

    @Test
    void aStandaloneClusterDoesNotLookAtOverhead() {
        SparkConf conf = conf("spark://host:7077", "spark.executor.memoryOverhead", "1");
        assertThat(limit(conf, process(1024, OptionalLong.empty(), 5000)).bytes())
                .isEqualTo(5000 * MIB);
    }

    @Test
    void theLeastLimitCounts() {
        SparkConf conf = conf("k8s://x", "spark.executor.memoryOverhead", "3000");
        MemoryLimit cgroup = limit(conf, process(1024, OptionalLong.of(2048), 60_000));
        assertThat(cgroup.bytes()).isEqualTo((2048 - 1024 - 256) * MIB);
        assertThat(cgroup.source()).contains("cgroup's limit of 2048 MiB", "heap of 1024 MiB");
        assertThat(limit(conf, process(2048, OptionalLong.of(2048), 60_000)).bytes())
                .as("never below nothing")
                .isZero();
    }

    @Test
    void whatModelsHaveTakenAlreadyIsNotMissing() {
        ProcessMemory half = new ProcessMemory(1000 * MIB, 400 * MIB, OptionalLong.empty(), 5000 * MIB);
        assertThat(MemoryLimit.of(UNSET, Optional.empty(), true, half, 300 * MIB)
                        .bytes())
                .isEqualTo((5000 - 600 + 300) * MIB);
    }

    private void file(String path, String content) throws IOException {
        Path file = root.resolve(path);
        Files.createDirectories(file.getParent());
        Files.writeString(file, content);
    }

    @Test
    void readsTheLeastLimitOfNestedGroupsOfVersion2() throws IOException {
        file("proc/meminfo", "MemTotal: 9 kB\nMemAvailable:    2048 kB\n");
        file("proc/self/cgroup", "0::/pod/container\n");
        file("sys/fs/cgroup/pod/container/memory.max", "max\n");
        file("sys/fs/cgroup/pod/memory.max", "1073741824\n");
        ProcessMemory memory = ProcessMemory.read(root);
        assertThat(memory.cgroupLimit()).hasValue(1L << 30);
        assertThat(memory.available()).isEqualTo(2 * MIB);
    }

    @Test
    void readsVersion1AlsoWhereThePathIsTheHosts() throws IOException {
        file("proc/self/cgroup", "5:cpu,memory:/docker/1234\n4:freezer:/x\n");
        file("sys/fs/cgroup/memory/memory.limit_in_bytes", "536870912\n");
        assertThat(ProcessMemory.read(root).cgroupLimit()).hasValue(512 * MIB);
        file("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
        assertThat(ProcessMemory.read(root).cgroupLimit()).isEmpty();
    }

    @Test
    void readsThisMachine() {
        ProcessMemory here = ProcessMemory.read();
        assertThat(here.heapMost()).isEqualTo(Runtime.getRuntime().maxMemory());
        assertThat(here.available()).isBetween(16 * MIB, 1L << 50);
    }
}
