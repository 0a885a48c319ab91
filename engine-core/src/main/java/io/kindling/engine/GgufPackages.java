package io.kindling.engine;

import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import io.kindling.engine.gguf.GgufConverter;
import io.kindling.engine.gguf.GgufParts;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * GGUF files as ONNX packages: each is converted once and kept under {@code gguf/<SHA-256 of the file or of all parts>} of the cache folder,
 * which is the system property {@code kindling.cache.dir}, else the environment's {@code KINDLING_CACHE}, else
 * {@code .cache/kindling} in the user's home.
 */
final class GgufPackages {
    private static final int CHUNK = 1 << 20;

    private GgufPackages() {}

    static boolean isGguf(Path location) {
        return location.toString().endsWith(".gguf") && Files.isRegularFile(location);
    }

    /**
     * The package of a file, converted where the cache has none.
     *
     * @throws KindlingException what the converter refuses, or IO
     */
    static synchronized Path packageOf(Path gguf) {
        Path folder = cache().resolve("gguf").resolve(digest(gguf));
        if (Files.isDirectory(folder)) {
            return folder;
        }
        try {
            Files.createDirectories(folder.getParent());
            GgufConverter.convert(gguf, folder);
        } catch (IOException fault) {
            throw new KindlingException(
                    ErrorCode.IO, gguf + ": cannot be converted into " + folder + ": " + fault, fault);
        } catch (KindlingException fault) {
            // Another process may have been faster: the folder appears whole or not at all.
            if (!Files.isDirectory(folder)) {
                throw fault;
            }
        }
        return folder;
    }

    private static Path cache() {
        String named = System.getProperty("kindling.cache.dir", System.getenv("KINDLING_CACHE"));
        return named == null || named.isEmpty()
                ? Path.of(System.getProperty("user.home"), ".cache", "kindling")
                : Path.of(named);
    }

    private static String digest(Path file) {
        try {
            MessageDigest sha256 = MessageDigest.getInstance("SHA-256");
            for (Path part : GgufParts.files(file)) {
                if (Files.exists(part)) { // the converter says what is missing
                    update(sha256, part);
                }
            }
            return HexFormat.of().formatHex(sha256.digest());
        } catch (IOException fault) {
            throw new KindlingException(ErrorCode.IO, file + ": cannot be read: " + fault, fault);
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private static void update(MessageDigest sha256, Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            ByteBuffer chunk = ByteBuffer.allocate(CHUNK);
            while (channel.read(chunk) >= 0) {
                sha256.update(chunk.flip());
                chunk.clear();
            }
        }
    }
}
