package io.kindling.engine.cpu.simd;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Loads the library once for this class loader, from a copy of its own: the JVM refuses one file to two class loaders. The copy
 * goes to {@code kindling.native.dir} if that system property is set; else to the first of the temporary folder and the
 * user's cache folder that allows it, since either may be mounted noexec.
 */
final class NativeLibrary {
    static final String FOLDER_PROPERTY = "kindling.native.dir";

    /** Why the library is not loaded, or null. */
    private static final Throwable FAULT = load();

    private NativeLibrary() {}

    /** Empty when loaded. */
    static String unavailableReason() {
        return FAULT == null ? "" : FAULT.getMessage();
    }

    private static Throwable load() {
        NativePlatform platform = NativePlatform.current();
        try {
            byte[] library = read(platform);
            UnsatisfiedLinkError fault = null;
            for (Path folder : folders()) {
                try {
                    loadCopy(library, folder, platform);
                    return null;
                } catch (IOException | UnsatisfiedLinkError problem) {
                    UnsatisfiedLinkError next = new UnsatisfiedLinkError(
                            (fault == null ? "the native library cannot be loaded" : fault.getMessage())
                                    + "; from folder " + folder + ": " + problem);
                    next.initCause(problem);
                    fault = next;
                }
            }
            return fault;
        } catch (IOException problem) {
            return problem;
        }
    }

    private static byte[] read(NativePlatform platform) throws IOException {
        try (InputStream resource = NativeLibrary.class.getResourceAsStream(platform.resource())) {
            if (resource == null) {
                throw new IOException("there is no native library for " + platform.folder());
            }
            return resource.readAllBytes();
        }
    }

    private static List<Path> folders() {
        String chosen = System.getProperty(FOLDER_PROPERTY, "");
        List<Path> folders = new ArrayList<>();
        if (!chosen.isEmpty()) {
            folders.add(Path.of(chosen));
        } else {
            folders.add(Path.of(System.getProperty("java.io.tmpdir")));
            folders.add(Path.of(System.getProperty("user.home"), ".cache", "kindling", "native"));
        }
        return folders;
    }

    private static void loadCopy(byte[] library, Path folder, NativePlatform platform) throws IOException {
        Files.createDirectories(folder);
        Path copy = Files.createTempFile(folder, "kindling-", "-" + platform.file());
        try {
            Files.write(copy, library);
            System.load(copy.toAbsolutePath().toString());
        } finally {
            // A loaded file can go at once, so that a killed process leaves none behind; Windows keeps it until exit.
            if (!copy.toFile().delete()) {
                copy.toFile().deleteOnExit();
            }
        }
    }
}
