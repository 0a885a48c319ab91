package io.kindling.engine.metadata;

import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import io.kindling.engine.error.ModelException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The files of a model package, found but not yet interpreted; {@link PackageResolver} does that once the graph is loaded.
 *
 * @param root the folder that the metadata lies in
 * @param modelFile the graph to run
 */
public record PackageFiles(
        Path root,
        Path modelFile,
        Optional<MetadataFile> sidecar,
        Optional<MetadataFile> genaiConfig,
        Optional<MetadataFile> config,
        Optional<MetadataFile> generationConfig,
        Optional<MetadataFile> tokenizerConfig,
        Optional<MetadataFile> specialTokens,
        Optional<Path> tokenizerFile) {

    private static final List<String> PREFERRED_GRAPHS = List.of("model.onnx", "decoder_model_merged.onnx");

    /**
     * Finds a package.
     *
     * @param location a folder or an {@code .onnx} file, whose folder then is the package
     * @throws KindlingException NOT_FOUND when there is no graph or several could be meant; MODEL_INVALID for malformed metadata
     */
    public static PackageFiles locate(Path location) {
        if (Files.isDirectory(location)) {
            Optional<MetadataFile> genai = MetadataFile.json(location.resolve("genai_config.json"));
            return of(location, graphIn(location, genai), genai);
        }
        if (!Files.isRegularFile(location)) {
            throw new KindlingException(
                    ErrorCode.NOT_FOUND, "there is no model '" + location + "': neither a folder nor a file");
        }
        if (!location.toString().endsWith(".onnx")) {
            throw new KindlingException(
                    ErrorCode.UNSUPPORTED,
                    "the model '" + location
                            + "' is no .onnx file; give an .onnx file or the folder of a model package");
        }
        Path folder = location.toAbsolutePath().getParent();
        return of(folder, location, MetadataFile.json(folder.resolve("genai_config.json")));
    }

    private static PackageFiles of(Path root, Path modelFile, Optional<MetadataFile> genai) {
        Path tokenizer = root.resolve("tokenizer.json");
        return new PackageFiles(
                root,
                modelFile,
                sidecar(root),
                genai,
                MetadataFile.json(root.resolve("config.json")),
                MetadataFile.json(root.resolve("generation_config.json")),
                MetadataFile.json(root.resolve("tokenizer_config.json")),
                MetadataFile.json(root.resolve("special_tokens_map.json")),
                Files.isRegularFile(tokenizer) ? Optional.of(tokenizer) : Optional.empty());
    }

    private static Optional<MetadataFile> sidecar(Path root) {
        return MetadataFile.yaml(root.resolve("inference_metadata.yaml"))
                .or(() -> MetadataFile.yaml(root.resolve("inference_metadata.yml")))
                .or(() -> MetadataFile.json(root.resolve("inference_metadata.json")));
    }

    private static Path graphIn(Path root, Optional<MetadataFile> genai) {
        Optional<String> named = genai.flatMap(file -> file.text("model.decoder.filename"));
        if (named.isPresent()) {
            return contained(root, named.get(), genai.get());
        }
        List<Path> graphs = graphs(root);
        if (graphs.isEmpty()) {
            // Packages for browsers keep metadata at the top and graphs one folder below.
            graphs = graphs(root.resolve("onnx"));
        }
        for (String preferred : PREFERRED_GRAPHS) {
            for (Path graph : graphs) {
                if (graph.getFileName().toString().equals(preferred)) {
                    return graph;
                }
            }
        }
        if (graphs.size() == 1) {
            return graphs.get(0);
        }
        if (graphs.isEmpty()) {
            throw new KindlingException(
                    ErrorCode.NOT_FOUND, "the folder '" + root + "' holds no .onnx file, nor does its folder onnx");
        }
        throw new KindlingException(
                ErrorCode.NOT_FOUND,
                "the folder '" + root + "' holds several graphs and none is named "
                        + String.join(" or ", PREFERRED_GRAPHS) + ": "
                        + graphs.stream()
                                .map(path -> path.getFileName().toString())
                                .toList()
                        + "; give the path of the one to run");
    }

    private static List<Path> graphs(Path folder) {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(path -> path.getFileName().toString().endsWith(".onnx"))
                    .filter(Files::isRegularFile)
                    .sorted()
                    .toList();
        } catch (IOException unreadable) {
            throw new KindlingException(
                    ErrorCode.IO, "cannot list the folder '" + folder + "': " + unreadable.getMessage(), unreadable);
        }
    }

    /** A package may be hostile: its graph must lie in its folder, links followed. */
    private static Path contained(Path root, String name, MetadataFile genai) {
        Path graph = genai.path(root, "model.decoder.filename", name);
        if (!Files.isRegularFile(graph)) {
            throw new ModelException(
                    ErrorCode.NOT_FOUND,
                    genai.file().toString(),
                    "model.decoder.filename",
                    "names '" + name + "', which is no file of the package");
        }
        try {
            if (!graph.toRealPath().startsWith(root.toRealPath())) {
                throw genai.invalid("model.decoder.filename", "names '" + name + "', which lies outside the package");
            }
        } catch (IOException unreadable) {
            throw new KindlingException(
                    ErrorCode.IO, "cannot resolve '" + graph + "': " + unreadable.getMessage(), unreadable);
        }
        return graph;
    }
}
