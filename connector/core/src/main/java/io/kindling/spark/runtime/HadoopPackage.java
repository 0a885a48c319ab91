package io.kindling.spark.runtime;

import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import io.kindling.engine.gguf.GgufParts;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * A model package as any Hadoop file system shows it: a folder with all below it, or a model file with the files beside it
 * (weights, tokenizer); a {@code .gguf} file stands alone.
 */
final class HadoopPackage {
    private static final int MAX_FILES = 1000;

    private final FileSystem fileSystem;
    private final Path root;
    private final String entry;
    private final List<FileStatus> files;

    private HadoopPackage(FileSystem fileSystem, Path root, String entry, List<FileStatus> files) {
        this.fileSystem = fileSystem;
        this.root = root;
        this.entry = entry;
        this.files = files;
    }

    /** Lists a package; NOT_FOUND when there is none. */
    static HadoopPackage list(String uri, Configuration configuration) {
        try {
            FileSystem fileSystem = new Path(uri).getFileSystem(configuration);
            Path path = fileSystem.makeQualified(new Path(uri));
            FileStatus status = fileSystem.getFileStatus(path);
            List<FileStatus> files = new ArrayList<>();
            if (status.isDirectory()) {
                collect(fileSystem, path, true, files, uri);
                return new HadoopPackage(fileSystem, path, "", sorted(files));
            }
            if (path.getName().endsWith(".gguf")) {
                for (String part : GgufParts.names(path.getName())) {
                    files.add(fileSystem.getFileStatus(new Path(path.getParent(), part)));
                }
            } else {
                collect(fileSystem, path.getParent(), false, files, uri);
            }
            return new HadoopPackage(fileSystem, path.getParent(), path.getName(), sorted(files));
        } catch (FileNotFoundException e) {
            throw new KindlingException(
                    ErrorCode.NOT_FOUND,
                    "model '" + uri + "' does not exist; give the URI of a folder, an .onnx file or a .gguf file",
                    e);
        } catch (KindlingException e) {
            throw e;
        } catch (UnsupportedOperationException e) {
            throw new KindlingException(
                    ErrorCode.UNSUPPORTED,
                    "model '" + uri
                            + "' cannot be read: Hadoop's file system for this scheme lists no folders, which packages"
                            + " need; download the model, or put it on another file system",
                    e);
        } catch (IOException | RuntimeException e) {
            // bare RuntimeExceptions come from file systems whose jar is missing
            throw new KindlingException(
                    isMissing(e) ? ErrorCode.UNSUPPORTED : ErrorCode.IO,
                    "model '" + uri + "' cannot be read: " + e
                            + (isMissing(e) ? "; add the file system's jar, such as hadoop-aws for s3a:" : ""),
                    e);
        }
    }

    private static boolean isMissing(Throwable fault) {
        return fault.getCause() instanceof ClassNotFoundException;
    }

    /** Not through listFiles, which starts a process per local file to learn its permissions. */
    private static void collect(
            FileSystem fileSystem, Path folder, boolean recursive, List<FileStatus> files, String uri)
            throws IOException {
        for (FileStatus child : fileSystem.listStatus(folder)) {
            if (child.isFile()) {
                files.add(child);
            } else if (recursive) {
                collect(fileSystem, child.getPath(), true, files, uri);
            }
            if (files.size() > MAX_FILES) {
                throw new KindlingException(
                        ErrorCode.MODEL_INVALID,
                        "'" + uri + "' has more than " + MAX_FILES + " files, so it is hardly a model package; give the"
                                + " package's own folder");
            }
        }
    }

    private static List<FileStatus> sorted(List<FileStatus> files) {
        return files.stream()
                .sorted(Comparator.comparing(file -> file.getPath().toString()))
                .toList();
    }

    /** The package's folder with its small text files alone; a {@code .gguf} file holds its text itself. */
    HadoopPackage textOnly() {
        if (entry.endsWith(".gguf")) {
            return this;
        }
        List<FileStatus> texts = files.stream()
                .filter(file -> file.getPath().getName().endsWith(".json")
                        || file.getPath().getName().endsWith(".jinja"))
                .toList();
        return new HadoopPackage(fileSystem, root, "", texts);
    }

    String qualifiedUri() {
        return entry.isEmpty() ? root.toString() : new Path(root, entry).toString();
    }

    String scheme() {
        return fileSystem.getUri().getScheme();
    }

    String entry() {
        return entry;
    }

    List<FileStatus> files() {
        return files;
    }

    /** Relative to the package, {@code /} between folders. */
    String name(FileStatus file) {
        return root.toUri().relativize(file.getPath().toUri()).getPath();
    }

    /** Where a file of the package belongs in a copy. */
    java.nio.file.Path target(FileStatus file, java.nio.file.Path folder) {
        java.nio.file.Path target = folder.resolve(name(file)).normalize();
        if (!target.startsWith(folder)) {
            throw new KindlingException(ErrorCode.IO, "file name '" + name(file) + "' leaves the package");
        }
        return target;
    }

    FSDataInputStream open(FileStatus file) throws IOException {
        return fileSystem.open(file.getPath());
    }

    /** Tells versions apart by modification time, without reading the files. */
    PackageManifest manifest() {
        return PackageManifest.of(
                qualifiedUri(),
                entry,
                files.stream()
                        .map(file -> new PackageManifest.PackageFile(
                                name(file), file.getLen(), Long.toString(file.getModificationTime())))
                        .toList());
    }
}
