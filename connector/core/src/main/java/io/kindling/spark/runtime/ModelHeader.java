package io.kindling.spark.runtime;

import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import io.kindling.engine.gguf.GgufHeader;
import io.kindling.engine.ir.OnnxModel;
import io.kindling.engine.metadata.ModelPackage;
import io.kindling.engine.metadata.PackageFiles;
import io.kindling.engine.metadata.PackageResolver;
import io.kindling.engine.onnx.OnnxLoader;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;

/**
 * What the files of a model say of it, without its weights: a driver reads it for types and metadata.
 *
 * @param graph with weights that may not be read: those of a model elsewhere are left there
 */
public record ModelHeader(OnnxModel graph, ModelPackage modelPackage) {
    /** Files that say something; the others are weights and tokenizers. */
    private static final Set<String> READ = Set.of(".onnx", ".json", ".yaml", ".yml", ".jinja");
    /** Of a GGUF file, whose header the tokenizer makes some ten megabytes long. */
    private static final int GGUF_HEAD = 64 << 20;

    /**
     * Reads a model on this machine in place. Of one elsewhere the graph file and the small text files are copied; files of weights
     * are stood for by empty ones of their size.
     *
     * @throws KindlingException NOT_FOUND, IO or MODEL_INVALID; UNSUPPORTED for GGUF files, which hold no graph
     */
    public static ModelHeader read(String uri, Configuration configuration) {
        HadoopPackage listed = HadoopPackage.list(uri, configuration);
        if (isGguf(listed)) {
            throw new KindlingException(
                    ErrorCode.UNSUPPORTED,
                    "'" + uri
                            + "' is a GGUF file, which has no ONNX graph to read; convert it first: java -jar kindling.jar"
                            + " convert FILE.gguf FOLDER");
        }
        return read(uri, listed, ModelHeader::load);
    }

    /**
     * What a GGUF file says of its model; empty for other models. Of one elsewhere the beginnings of its files are copied.
     *
     * @throws KindlingException NOT_FOUND, IO, MODEL_INVALID or UNSUPPORTED
     */
    public static Optional<GgufHeader> readGguf(String uri, Configuration configuration) {
        HadoopPackage listed = HadoopPackage.list(uri, configuration);
        return isGguf(listed) ? Optional.of(read(uri, listed, GgufHeader::read)) : Optional.empty();
    }

    private static boolean isGguf(HadoopPackage listed) {
        return listed.entry().endsWith(".gguf");
    }

    private static <T> T read(String uri, HadoopPackage listed, Function<Path, T> load) {
        if (listed.scheme().equals("file")) {
            return load.apply(Path.of(URI.create(listed.qualifiedUri()).getPath()));
        }
        try {
            Path folder = Files.createTempDirectory("kindling-header");
            try {
                copy(listed, folder);
                return load.apply(listed.entry().isEmpty() ? folder : folder.resolve(listed.entry()));
            } finally {
                delete(folder);
            }
        } catch (IOException e) {
            throw new KindlingException(ErrorCode.IO, "the header of '" + uri + "' cannot be read: " + e, e);
        }
    }

    private static ModelHeader load(Path location) {
        PackageFiles files = PackageFiles.locate(location);
        OnnxModel graph = OnnxLoader.load(files.modelFile());
        return new ModelHeader(graph, PackageResolver.resolve(files, graph));
    }

    private static void copy(HadoopPackage listed, Path folder) throws IOException {
        for (FileStatus file : listed.files()) {
            Path target = listed.target(file, folder);
            String name = target.getFileName().toString();
            Files.createDirectories(target.getParent());
            boolean whole = READ.stream().anyMatch(name::endsWith);
            if (whole || name.endsWith(".gguf")) {
                try (InputStream in = listed.open(file)) {
                    if (whole) {
                        Files.copy(in, target);
                    } else {
                        Files.write(target, in.readNBytes(GGUF_HEAD));
                    }
                }
            }
            try (RandomAccessFile hollow = new RandomAccessFile(target.toFile(), "rw")) {
                hollow.setLength(file.getLen());
            }
        }
    }

    private static void delete(Path folder) throws IOException {
        List<Path> deepestFirst;
        try (Stream<Path> all = Files.walk(folder)) {
            deepestFirst = all.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path path : deepestFirst) {
            Files.delete(path);
        }
    }
}
