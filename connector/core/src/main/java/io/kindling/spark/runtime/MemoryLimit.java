package io.kindling.spark.runtime;

import io.kindling.spark.config.MemoryOptions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;

/**
 * How much memory beside the Java heap the models of this process may take together: the least that any of its limits leaves.
 *
 * @param bytes the limit
 * @param source which limit that is, in words
 * @param remedy what raises it, for more than {@code %s} bytes
 */
record MemoryLimit(long bytes, String source, String remedy) {
    /** What a JVM with Spark takes beside heap and models: classes, compiled code, stacks, network buffers. */
    static final long JVM_BYTES = 256L << 20;

    private static final long LEAST_OVERHEAD_MIB = 384;
    private static final double OVERHEAD_FACTOR = 0.1;

    /** The limit of this process now, of which {@code taken} bytes are in use by models. */
    static MemoryLimit now(MemoryOptions options, long taken) {
        Optional<SparkEnv> spark = Optional.ofNullable(SparkEnv.get());
        return of(
                options,
                spark.map(SparkEnv::conf),
                spark.map(env -> !env.executorId().equals("driver")).orElse(false),
                ProcessMemory.read(),
                taken);
    }

    static MemoryLimit of(
            MemoryOptions options, Optional<SparkConf> spark, boolean executor, ProcessMemory process, long taken) {
        if (options.totalBytes() > 0) {
            return new MemoryLimit(
                    options.totalBytes(), "spark.kindling.memory.total", "raise spark.kindling.memory.total to %s");
        }
        List<MemoryLimit> limits = new ArrayList<>();
        spark.flatMap(conf -> overhead(conf, executor)).ifPresent(limits::add);
        process.cgroupLimit()
                .ifPresent(limit -> limits.add(limited(
                        limit - process.heapMost() - JVM_BYTES,
                        "the cgroup's limit of " + mib(limit) + ", less a Java heap of " + mib(process.heapMost())
                                + " and " + mib(JVM_BYTES) + " for the JVM itself",
                        "raise the container's limit so that %s remain, or give less to the heap")));
        long toCome = Math.max(0, process.heapMost() - process.heapCommitted());
        limits.add(limited(
                process.available() - toCome + taken,
                "what the node has available, " + mib(process.available()) + ", less " + mib(toCome)
                        + " that the Java heap may still take",
                "use nodes that have %s for it, fewer executors on each, or a smaller heap; or set"
                        + " spark.kindling.memory.total"));
        return limits.stream().min(Comparator.comparingLong(MemoryLimit::bytes)).orElseThrow();
    }

    private static MemoryLimit limited(long bytes, String source, String remedy) {
        return new MemoryLimit(Math.max(0, bytes), source, remedy);
    }

    /** YARN and Kubernetes end containers that outgrow heap plus overhead; others do not look. */
    private static Optional<MemoryLimit> overhead(SparkConf conf, boolean executor) {
        String master = conf.get("spark.master", "");
        if (!master.startsWith("yarn") && !master.startsWith("k8s")) {
            return Optional.empty();
        }
        String role = executor ? "spark.executor." : "spark.driver.";
        long heap = conf.getSizeAsMb(role + "memory", "1g");
        double factor = conf.getDouble(
                role + "memoryOverheadFactor",
                conf.getDouble("spark.kubernetes.memoryOverheadFactor", OVERHEAD_FACTOR));
        long least = conf.getSizeAsMb(role + "minMemoryOverhead", LEAST_OVERHEAD_MIB + "m");
        long usual = Math.max((long) (heap * factor), least);
        long overhead = conf.getSizeAsMb(role + "memoryOverhead", usual + "m") << 20;
        return Optional.of(limited(
                overhead - JVM_BYTES,
                role + "memoryOverhead, " + mib(overhead) + ", less " + mib(JVM_BYTES) + " for the JVM itself",
                "set " + role + "memoryOverhead so that %s remain"));
    }

    /** What has to be done for so many bytes. */
    String toHave(long needed) {
        return String.format(remedy, mib(needed));
    }

    static String mib(long bytes) {
        return (bytes + (1 << 20) - 1 >> 20) + " MiB";
    }
}
