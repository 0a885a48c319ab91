package io.kindling.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a process takes that generates 8 rows of 512 tokens with a heap of 1 GiB. */
class MemoryIT {
    private static final int ROWS = 8;
    private static final int PROMPT_TOKENS = 512;
    private static final int NEW_TOKENS = 8;

    /** Keys and values of SmolLM2-135M: 30 layers, 3 heads of 64 floats each. */
    private static final long KV_BYTES_OF_A_TOKEN = 30L * 2 * 3 * 64 * Float.BYTES;

    private static final long ALLOWANCE = 700L << 20;
    private static final Pattern ANONYMOUS = Pattern.compile("RssAnon:\\s+(\\d+) kB");

    @TempDir
    private Path folder;

    @Test
    void anonymousMemoryIsWeightsPlusCachePlusSevenHundredMegabytes() throws Exception {
        assumeTrue(Files.isReadable(Path.of("/proc/self/status")), "needs Linux's /proc to read a process's memory");
        Path prompts = folder.resolve("prompts.jsonl");
        List<String> lines = new ArrayList<>();
        for (int row = 0; row < ROWS; row++) {
            StringBuilder ids = new StringBuilder();
            for (int k = 0; k < PROMPT_TOKENS; k++) {
                // Any ordinary tokens; no two rows share a beginning.
                ids.append(k == 0 ? "" : ",").append(1000 + (row * 7919 + k * 104_729) % 40_000);
            }
            lines.add("{\"id\": \"" + row + "\", \"prompt_ids\": [" + ids + "]}");
        }
        Files.write(prompts, lines);
        Path answers = folder.resolve("answers.jsonl");
        Process process = new ProcessBuilder(
                        SparkRelease.ownJava().resolve("bin/java").toString(),
                        "-Xmx1g",
                        "-jar",
                        Repository.JAR.toString(),
                        "generate",
                        Repository.model().toString(),
                        "--prompts",
                        prompts.toString(),
                        "--max-new-tokens",
                        String.valueOf(NEW_TOKENS),
                        "--json")
                .redirectOutput(answers.toFile())
                .redirectError(folder.resolve("messages.txt").toFile())
                .start();
        long peak = 0;
        int readings = 0;
        while (process.isAlive()) {
            long anonymous = anonymousBytes(process.pid());
            readings += anonymous > 0 ? 1 : 0;
            peak = Math.max(peak, anonymous);
            Thread.sleep(20);
        }
        assertThat(process.exitValue()).isZero();
        assertThat(Files.readAllLines(answers)).hasSize(ROWS).allMatch(line -> line.contains("\"token_ids\":["));
        assertThat(readings).isGreaterThan(20);
        long cache = KV_BYTES_OF_A_TOKEN * ROWS * (PROMPT_TOKENS + NEW_TOKENS + 16);
        assertThat(peak).isBetween(100L << 20, weightBytes() + cache + ALLOWANCE);
    }

    /** Prepacked weights are about as large as those of the file. */
    private static long weightBytes() throws IOException {
        try (Stream<Path> files = Files.list(Repository.model())) {
            return files.filter(file -> file.toString().endsWith(".data"))
                    .mapToLong(file -> file.toFile().length())
                    .sum();
        }
    }

    private static long anonymousBytes(long process) {
        try {
            Matcher matcher = ANONYMOUS.matcher(Files.readString(Path.of("/proc/" + process + "/status")));
            return matcher.find() ? Long.parseLong(matcher.group(1)) << 10 : 0;
        } catch (IOException ended) {
            return 0;
        }
    }
}
