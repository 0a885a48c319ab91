package io.kindling.spark.runtime;

import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

/**
 * The files of one model package, as a driver or an executor listed them.
 *
 * @param digest names the package in the node cache: SHA-256 over names, sizes and the files' stamps
 * @param entry the file to open, relative to the package; empty for the folder itself
 * @param files in the order of their names
 */
record PackageManifest(String digest, String entry, List<PackageFile> files) implements Serializable {
    /**
     * One file.
     *
     * @param name relative to the package, {@code /} between folders
     * @param size in bytes
     * @param stamp what tells its versions apart: SHA-256 of the content where it was read, else the modification time
     */
    record PackageFile(String name, long size, String stamp) implements Serializable {}

    PackageManifest {
        files = List.copyOf(files);
    }

    /** @param origin the location, for packages told apart by it; empty when the stamps are content digests */
    static PackageManifest of(String origin, String entry, List<PackageFile> files) {
        MessageDigest sha = sha256();
        sha.update((origin + '\n').getBytes(StandardCharsets.UTF_8));
        for (PackageFile file : files) {
            String line = file.name() + '\0' + file.size() + '\0' + file.stamp() + '\n';
            sha.update(line.getBytes(StandardCharsets.UTF_8));
        }
        return new PackageManifest(HexFormat.of().formatHex(sha.digest()), entry, files);
    }

    long totalBytes() {
        return files.stream().mapToLong(PackageFile::size).sum();
    }

    static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
