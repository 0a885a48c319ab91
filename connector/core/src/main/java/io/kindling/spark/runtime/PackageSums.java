package io.kindling.spark.runtime;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * Checksums of a cached package, beside its folder, so that a process that is about to use it sees whether the disk still has what was
 * written. Processors compute CRC-32C about as fast as they read memory, and what is read here is read from the page cache again.
 */
final class PackageSums {
    private static final int BUFFER = 1 << 20;

    private PackageSums() {}

    static Path file(Path folder) {
        return folder.resolveSibling(folder.getFileName() + ".sums");
    }

    /** Notes the sums of the files that lie in {@code written}, which is to become {@code folder}. */
    static void note(Path folder, Path written, PackageManifest manifest) throws IOException {
        Path scratch = folder.resolveSibling(folder.getFileName() + ".sums.partial");
        Files.write(scratch, lines(written, manifest));
        Files.move(scratch, file(folder), StandardCopyOption.ATOMIC_MOVE);
    }

    /** When sums were noted; the beginning of time if they were not. */
    static FileTime noted(Path folder) throws IOException {
        try {
            return Files.getLastModifiedTime(file(folder));
        } catch (NoSuchFileException e) {
            return FileTime.fromMillis(0);
        }
    }

    /** Whether all files are there and have the sums that were noted. */
    static boolean hold(Path folder, PackageManifest manifest) throws IOException {
        for (PackageManifest.PackageFile file : manifest.files()) {
            Path path = folder.resolve(file.name());
            if (!Files.isRegularFile(path) || Files.size(path) != file.size()) {
                return false;
            }
        }
        return Files.isDirectory(folder)
                && Files.isRegularFile(file(folder))
                && Files.readAllLines(file(folder)).equals(lines(folder, manifest));
    }

    private static List<String> lines(Path folder, PackageManifest manifest) throws IOException {
        List<String> lines = new ArrayList<>();
        for (PackageManifest.PackageFile file : manifest.files()) {
            lines.add(String.format("%08x %s", sum(folder.resolve(file.name())), file.name()));
        }
        return lines;
    }

    private static long sum(Path file) throws IOException {
        CRC32C sum = new CRC32C();
        byte[] buffer = new byte[BUFFER];
        try (InputStream in = Files.newInputStream(file)) {
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                sum.update(buffer, 0, read);
            }
        }
        return sum.getValue();
    }
}
