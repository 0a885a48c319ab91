package io.kindling.engine.testing;

import io.kindling.engine.error.KindlingException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

/**
 * Gives a reader mutated inputs. Whatever the bytes, a reader must succeed or throw a {@link KindlingException}, within five
 * seconds. The system property {@code kindling.fuzz.seconds} says how long to go on, {@code kindling.fuzz.seed} where to start.
 */
public final class MutationFuzzer {
    private static final Duration LONGEST_INPUT = Duration.ofSeconds(5);
    private static final int LARGEST_INPUT = 1 << 18;
    private static final long[] TELLING = {
        0,
        1,
        2,
        127,
        128,
        255,
        256,
        65535,
        65536,
        Integer.MAX_VALUE,
        Integer.MIN_VALUE,
        Long.MAX_VALUE,
        Long.MIN_VALUE,
        -1,
        -2
    };

    /** What reads an input. */
    @FunctionalInterface
    public interface Target {
        void read(byte[] input) throws IOException;
    }

    private final Target target;
    private final List<byte[]> seeds;
    private final List<byte[]> dictionary;
    private final Duration longest;

    MutationFuzzer(Target target, List<byte[]> seeds, List<byte[]> dictionary, Duration longest) {
        this.target = target;
        this.seeds = seeds;
        this.dictionary = dictionary;
        this.longest = longest;
    }

    /**
     * Reads the seeds, the corpus {@code /fuzz/<name>} among the test resources, and mutations of both.
     *
     * @param name of the corpus
     * @param words that inputs are made of
     * @return inputs read
     * @throws AssertionError at the first input that ends in another way; it is kept as {@code target/fuzz/<name>.finding}
     */
    public static long fuzz(String name, Target target, List<byte[]> seeds, List<String> words) {
        List<byte[]> inputs = new ArrayList<>(seeds);
        inputs.addAll(corpus(name));
        List<byte[]> dictionary = words.stream()
                .map(word -> word.getBytes(StandardCharsets.UTF_8))
                .toList();
        Duration budget = Duration.ofSeconds(Long.getLong("kindling.fuzz.seconds", 2));
        Path finding = Path.of("target", "fuzz", name + ".finding");
        long read = new MutationFuzzer(target, inputs, dictionary, LONGEST_INPUT)
                .run(budget, Long.getLong("kindling.fuzz.seed", 1), finding);
        System.out.println("fuzz " + name + ": " + read + " inputs");
        return read;
    }

    /** Runs every seed once, and mutations of them until the budget is spent. */
    long run(Duration budget, long seed, Path finding) {
        Random random = new Random(seed);
        ExecutorService reader = Executors.newSingleThreadExecutor(work -> {
            Thread thread = new Thread(work, "fuzz-reader");
            thread.setDaemon(true);
            return thread;
        });
        try {
            long read = 0;
            for (byte[] input : seeds) {
                check(input, reader, finding);
                read++;
            }
            long end = System.nanoTime() + budget.toNanos();
            while (System.nanoTime() - end < 0) {
                check(mutated(random), reader, finding);
                read++;
            }
            return read;
        } finally {
            reader.shutdownNow();
        }
    }

    private void check(byte[] input, ExecutorService reader, Path finding) {
        Future<?> result = reader.submit(() -> {
            target.read(input);
            return null;
        });
        try {
            result.get(longest.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException fault) {
            if (!(fault.getCause() instanceof KindlingException)) {
                throw finding(input, finding, "ends in " + fault.getCause(), fault.getCause());
            }
        } catch (TimeoutException slow) {
            throw finding(input, finding, "takes more than " + longest, slow);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(stopped);
        }
    }

    private static AssertionError finding(byte[] input, Path file, String what, Throwable cause) {
        try {
            Files.createDirectories(file.toAbsolutePath().getParent());
            Files.write(file, input);
        } catch (IOException fault) {
            throw new UncheckedIOException(fault);
        }
        String shown =
                input.length > 400 ? input.length + " bytes" : HexFormat.of().formatHex(input);
        return new AssertionError("an input " + what + "; it is kept in " + file + ": " + shown, cause);
    }

    private byte[] mutated(Random random) {
        byte[] bytes = pick(seeds, random).clone();
        for (int step = 1 + random.nextInt(6); step > 0; step--) {
            bytes = mutatedOnce(bytes, random);
        }
        return bytes.length > LARGEST_INPUT ? Arrays.copyOf(bytes, LARGEST_INPUT) : bytes;
    }

    private byte[] mutatedOnce(byte[] bytes, Random random) {
        int at = random.nextInt(bytes.length + 1);
        int end = at + random.nextInt(Math.min(bytes.length - at, 64) + 1);
        return switch (random.nextInt(8)) {
            case 0 -> flipped(bytes, random);
            case 1 -> random.nextInt(8) == 0 ? Arrays.copyOf(bytes, at) : spliced(bytes, at, end, new byte[0]);
            case 2, 3 -> spliced(bytes, at, random.nextBoolean() ? at : end, word(random));
            case 4 -> spliced(bytes, at, end, piece(pick(seeds, random), random));
            case 5 -> spliced(bytes, at, at, repeated(Arrays.copyOfRange(bytes, at, end), 1 << random.nextInt(8)));
            case 6 -> spliced(bytes, at, at, piece(bytes, random));
            default -> numbered(bytes, random);
        };
    }

    private static byte[] flipped(byte[] bytes, Random random) {
        if (bytes.length > 0) {
            bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
        }
        return bytes;
    }

    /** Overwrites what may be a count, a length, an offset or a code, of one to eight bytes, little-endian. */
    private static byte[] numbered(byte[] bytes, Random random) {
        int width = 1 << random.nextInt(4);
        if (bytes.length >= width) {
            int at = random.nextInt(bytes.length - width + 1);
            long value = TELLING[random.nextInt(TELLING.length)] + random.nextInt(3) - 1;
            for (int i = 0; i < width; i++) {
                bytes[at + i] = (byte) (value >> (8 * i));
            }
        }
        return bytes;
    }

    private byte[] word(Random random) {
        if (dictionary.isEmpty() || random.nextInt(4) == 0) {
            return Long.toString(TELLING[random.nextInt(TELLING.length)]).getBytes(StandardCharsets.UTF_8);
        }
        byte[] word = pick(dictionary, random);
        return random.nextInt(16) == 0 ? repeated(word, 1 << random.nextInt(11)) : word;
    }

    private static byte[] piece(byte[] bytes, Random random) {
        int from = random.nextInt(bytes.length + 1);
        return Arrays.copyOfRange(bytes, from, from + random.nextInt(bytes.length - from + 1));
    }

    private static byte[] spliced(byte[] bytes, int from, int to, byte[] middle) {
        ByteArrayOutputStream joined = new ByteArrayOutputStream();
        joined.write(bytes, 0, from);
        joined.writeBytes(middle);
        joined.write(bytes, to, bytes.length - to);
        return joined.toByteArray();
    }

    private static byte[] repeated(byte[] bytes, int times) {
        ByteArrayOutputStream joined = new ByteArrayOutputStream();
        for (int i = 0; i < times && joined.size() < LARGEST_INPUT; i++) {
            joined.writeBytes(bytes);
        }
        return joined.toByteArray();
    }

    private static byte[] pick(List<byte[]> items, Random random) {
        return items.get(random.nextInt(items.size()));
    }

    /** Inputs that once went wrong, which are read each time. */
    private static List<byte[]> corpus(String name) {
        URL folder = MutationFuzzer.class.getResource("/fuzz/" + name);
        if (folder == null) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(Path.of(folder.toURI()))) {
            List<byte[]> inputs = new ArrayList<>();
            for (Path file : files.sorted().toList()) {
                inputs.add(Files.readAllBytes(file));
            }
            return inputs;
        } catch (IOException fault) {
            throw new UncheckedIOException(fault);
        } catch (URISyntaxException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
