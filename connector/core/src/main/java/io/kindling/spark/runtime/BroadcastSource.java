package io.kindling.spark.runtime;

import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import io.kindling.spark.config.NodeCacheOptions;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.apache.hadoop.fs.FileStatus;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;

/**
 * The package travels with the job, in chunks, and each node writes it to its cache once.
 *
 * @param uri as the user named it
 * @param manifest its files, stamped with their SHA-256
 * @param chunks per file of the manifest its content, cut
 */
record BroadcastSource(String uri, PackageManifest manifest, List<List<Broadcast<byte[]>>> chunks)
        implements ModelSource {
    /** Broadcasts are byte arrays held in one piece on driver and executors. */
    private static final int CHUNK_BYTES = 64 << 20;

    BroadcastSource {
        chunks = List.copyOf(chunks);
    }

    /** Reads the package on the driver. */
    static BroadcastSource read(String uri, HadoopPackage listed, JavaSparkContext context) {
        List<PackageManifest.PackageFile> files = new ArrayList<>();
        List<List<Broadcast<byte[]>>> chunks = new ArrayList<>();
        for (FileStatus file : listed.files()) {
            MessageDigest sha = PackageManifest.sha256();
            List<Broadcast<byte[]>> parts = new ArrayList<>();
            long size = 0;
            try (InputStream in = listed.open(file)) {
                for (byte[] part = in.readNBytes(CHUNK_BYTES); part.length > 0; part = in.readNBytes(CHUNK_BYTES)) {
                    sha.update(part);
                    size += part.length;
                    parts.add(context.broadcast(part));
                }
            } catch (IOException e) {
                throw new KindlingException(
                        ErrorCode.IO, "model file '" + file.getPath() + "' cannot be read on the driver: " + e, e);
            }
            files.add(new PackageManifest.PackageFile(
                    listed.name(file), size, HexFormat.of().formatHex(sha.digest())));
            chunks.add(List.copyOf(parts));
        }
        return new BroadcastSource(uri, PackageManifest.of("", listed.entry(), files), chunks);
    }

    @Override
    public LocalModel localize(NodeCacheOptions cache) {
        return LocalModel.of(manifest, NodeCache.of(cache).open(manifest, this::write));
    }

    private void write(Path folder) throws IOException {
        for (int i = 0; i < chunks.size(); i++) {
            PackageManifest.PackageFile file = manifest.files().get(i);
            MessageDigest sha = PackageManifest.sha256();
            Path target = folder.resolve(file.name());
            Files.createDirectories(target.getParent());
            try (OutputStream out = Files.newOutputStream(target)) {
                for (Broadcast<byte[]> chunk : chunks.get(i)) {
                    byte[] part = chunk.value();
                    sha.update(part);
                    out.write(part);
                }
            }
            String digest = HexFormat.of().formatHex(sha.digest());
            if (!digest.equals(file.stamp())) {
                throw new IOException(
                        "'" + file.name() + "' arrived damaged: SHA-256 " + digest + " instead of " + file.stamp());
            }
        }
    }
}
