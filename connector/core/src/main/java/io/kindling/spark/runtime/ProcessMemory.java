package io.kindling.spark.runtime;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryUsage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;

/**
 * What the system grants this process, in bytes.
 *
 * @param heapMost what the Java heap may grow to
 * @param heapCommitted what it has taken of that
 * @param cgroupLimit of the process's cgroups, where one is set
 * @param available what the node could give to processes now without swapping
 */
record ProcessMemory(long heapMost, long heapCommitted, OptionalLong cgroupLimit, long available) {
    /** Version 1 says "none" by a number near 2^63. */
    private static final long NO_LIMIT = 1L << 60;

    static ProcessMemory read() {
        return read(Path.of("/"));
    }

    /** @param root of the file system that has {@code proc} and {@code sys}; elsewhere Java's own figures serve */
    static ProcessMemory read(Path root) {
        MemoryUsage heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage();
        return new ProcessMemory(
                Runtime.getRuntime().maxMemory(), heap.getCommitted(), cgroupLimit(root), available(root));
    }

    /** "MemAvailable", see proc_meminfo(5): free memory and what caches would give back. */
    private static long available(Path root) {
        try {
            for (String line : Files.readAllLines(root.resolve("proc/meminfo"))) {
                if (line.startsWith("MemAvailable:")) {
                    return Long.parseLong(line.replaceAll("\\D", "")) << 10;
                }
            }
        } catch (IOException e) {
            // not Linux
        }
        return ManagementFactory.getOperatingSystemMXBean() instanceof com.sun.management.OperatingSystemMXBean system
                ? system.getFreeMemorySize()
                : Long.MAX_VALUE;
    }

    /** The least limit of the process's cgroup and those above it; see cgroups(7), for both versions. */
    private static OptionalLong cgroupLimit(Path root) {
        long least = NO_LIMIT;
        try {
            for (String line : Files.readAllLines(root.resolve("proc/self/cgroup"))) {
                String[] parts = line.split(":", 3);
                if (parts.length == 3 && parts[1].isEmpty()) {
                    least = Math.min(least, least(root.resolve("sys/fs/cgroup"), parts[2], "memory.max"));
                } else if (parts.length == 3 && ("," + parts[1] + ",").contains(",memory,")) {
                    least = Math.min(
                            least, least(root.resolve("sys/fs/cgroup/memory"), parts[2], "memory.limit_in_bytes"));
                }
            }
        } catch (IOException e) {
            return OptionalLong.empty();
        }
        return least < NO_LIMIT ? OptionalLong.of(least) : OptionalLong.empty();
    }

    private static long least(Path mount, String group, String file) {
        long least = NO_LIMIT;
        // Within a container the path may be that of the host; its own limit then lies at the mount.
        Path folder = mount.resolve(group.replaceFirst("^/+", "")).normalize();
        for (Path at = folder; at != null && at.startsWith(mount); at = at.getParent()) {
            least = Math.min(least, limit(at.resolve(file)));
        }
        return least;
    }

    private static long limit(Path file) {
        try {
            String text = Files.readString(file).strip();
            return text.equals("max") ? NO_LIMIT : Long.parseLong(text);
        } catch (IOException | NumberFormatException e) {
            return NO_LIMIT;
        }
    }
}
