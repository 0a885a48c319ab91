package io.kindling.engine.text;

import ai.djl.huggingface.tokenizers.jni.LibUtils;
import ai.djl.huggingface.tokenizers.jni.TokenizersLibrary;
import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Hugging Face's tokenizers library, loaded once per class loader.
 *
 * <p>A JVM refuses to load one library file for two class loaders, and Spark makes several; so each extracts a copy of its own.
 * Nothing is ever downloaded.
 */
final class NativeTokenizers {
    private static final String CACHE = "ENGINE_CACHE_DIR";
    private static final Map<String, String> PRIVATE_SETTINGS = Map.of("ai.djl.offline", "true", "RUST_FLAVOR", "cpu");

    private NativeTokenizers() {}

    /** @throws KindlingException TOKENIZER when the library does not run on this machine */
    static TokenizersLibrary library() {
        return Holder.loaded();
    }

    /** Keeps a failure with its cause, instead of the NoClassDefFoundError of a second attempt. */
    private static final class Holder {
        private static TokenizersLibrary library;
        private static Throwable failure;

        private static synchronized TokenizersLibrary loaded() {
            if (library == null && failure == null) {
                try {
                    library = load();
                } catch (LinkageError | RuntimeException | IOException refused) {
                    failure = refused;
                }
            }
            if (failure != null) {
                throw new KindlingException(
                        ErrorCode.TOKENIZER,
                        "the native tokenizers library cannot be loaded on " + System.getProperty("os.name") + " "
                                + System.getProperty("os.arch")
                                + "; it needs Linux with glibc 2.34 or newer (x86_64, aarch64), macOS on aarch64, or "
                                + "Windows on x86_64, and a writable java.io.tmpdir: " + failure.getMessage(),
                        failure);
            }
            return library;
        }
    }

    private static TokenizersLibrary load() throws IOException {
        Thread thread = Thread.currentThread();
        ClassLoader context = thread.getContextClassLoader();
        Path folder = Files.createTempDirectory("kindling-tokenizers-");
        // One lock for all class loaders, since system properties are shared by them.
        synchronized (System.class) {
            Map<String, String> before = set(folder);
            try {
                thread.setContextClassLoader(NativeTokenizers.class.getClassLoader());
                LibUtils.checkStatus();
                return TokenizersLibrary.LIB;
            } finally {
                thread.setContextClassLoader(context);
                restore(before);
                delete(folder);
            }
        }
    }

    private static Map<String, String> set(Path folder) {
        Map<String, String> settings = new HashMap<>(PRIVATE_SETTINGS);
        settings.put(CACHE, folder.toString());
        Map<String, String> before = new HashMap<>();
        settings.forEach((key, value) -> before.put(key, System.setProperty(key, value)));
        return before;
    }

    private static void restore(Map<String, String> before) {
        before.forEach((key, value) -> {
            if (value == null) {
                System.clearProperty(key);
            } else {
                System.setProperty(key, value);
            }
        });
    }

    /** A loaded library stays mapped without its file; where the system forbids that, the file goes when the JVM ends. */
    private static void delete(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            List<Path> deepestFirst = files.sorted(Comparator.reverseOrder()).toList();
            // Registered shallowest first: the JVM deletes in the reverse order.
            for (int k = deepestFirst.size() - 1; k >= 0; k--) {
                deepestFirst.get(k).toFile().deleteOnExit();
            }
            for (Path file : deepestFirst) {
                Files.deleteIfExists(file);
            }
        } catch (IOException | UncheckedIOException inUse) {
            return;
        }
    }
}
