package io.kindling.engine.gguf;

import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.ModelException;
import io.kindling.engine.ir.Graph;
import io.kindling.engine.ir.OnnxModel;
import io.kindling.engine.onnx.ExternalDataFile;
import io.kindling.engine.onnx.OnnxWriter;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * Converts a GGUF file into an ONNX model package: {@code model.onnx}, {@code model.onnx.data}, {@code genai_config.json},
 * {@code tokenizer.json}, {@code tokenizer_config.json} and, where the file has one, {@code chat_template.jinja}. Files of
 * the architectures of {@link DecoderFamily} in the types of {@link BlockLayout}, F32, F16 and BF16. Values are kept
 * exactly, except that zero points round to float32 and an embedding in a type that has them is stored in float16.
 */
public final class GgufConverter {
    private static final long IR_VERSION = 10;
    private static final long OPSET = 21;
    private static final String MODEL = "model.onnx";
    private static final String DATA = "model.onnx.data";

    private GgufConverter() {}

    /**
     * Converts; the folder appears when everything in it is written, or not at all.
     *
     * @param gguf the file, or any part of a model in several
     * @param folder may exist only if it is empty
     * @throws ModelException naming the file, then the tensor or metadata key, and what to do
     */
    public static void convert(Path gguf, Path folder) {
        convert(gguf, folder, Optional.empty());
    }

    /**
     * Converts as {@link #convert(Path, Path)} does, splitting texts as a {@code tokenizer.ggml.pre} of another name says.
     *
     * @param preTokenizer such as {@code llama-bpe}, for files that name none or one that is not known
     */
    public static void convert(Path gguf, Path folder, Optional<String> preTokenizer) {
        GgufFile file = GgufParts.read(gguf);
        Path target = folder.toAbsolutePath().normalize();
        Path unfinished = null;
        try {
            requireEmpty(target);
            Files.createDirectories(target.getParent());
            // No temporary directory of the JDK's: its permissions would stay with the package.
            unfinished = Files.createDirectory(
                    target.resolveSibling("." + target.getFileName() + ".unfinished-" + UUID.randomUUID()));
            write(file, unfinished, preTokenizer);
            Files.deleteIfExists(target);
            Files.move(unfinished, target, StandardCopyOption.ATOMIC_MOVE);
            unfinished = null;
        } catch (IOException fault) {
            throw new ModelException(ErrorCode.IO, folder.toString(), "", "cannot be written: " + fault, fault);
        } finally {
            if (unfinished != null) {
                deleteQuietly(unfinished);
            }
        }
    }

    private static void requireEmpty(Path target) throws IOException {
        if (!Files.exists(target)) {
            return;
        }
        boolean empty = false;
        if (Files.isDirectory(target)) {
            try (var entries = Files.list(target)) {
                empty = entries.findAny().isEmpty();
            }
        }
        if (!empty) {
            throw new ModelException(
                    ErrorCode.IO,
                    target.toString(),
                    "",
                    "exists and is no empty folder; name one that does not exist, nothing is overwritten");
        }
    }

    private static void write(GgufFile file, Path folder, Optional<String> preTokenizer) throws IOException {
        DecoderConfig config = DecoderConfig.of(file);
        // Texts first: what is wrong with them shows before gigabytes are written.
        TokenizerFiles tokenizer = TokenizerFiles.of(file, config.vocabulary(), config.context(), preTokenizer);
        tokenizer.write(folder);
        GenaiConfig.write(config, tokenizer.tokens(), folder.resolve("genai_config.json"));
        Graph.Builder graph = Graph.builder("main_graph");
        try (ExternalDataFile data = ExternalDataFile.create(folder.resolve(DATA))) {
            DecoderWeights weights = new DecoderWeights(file, data, graph.initializers());
            Graph decoder = new DecoderGraph(config, weights, graph)
                    .build(new Metadata(file, config.family().architecture()));
            weights.refuseUnused();
            OnnxWriter.write(
                    new OnnxModel(
                            file.path().toString(),
                            IR_VERSION,
                            Map.of("", OPSET, "com.microsoft", 1L),
                            decoder,
                            List.of(),
                            Map.of()),
                    folder.resolve(MODEL),
                    data,
                    DATA);
        }
    }

    private static void deleteQuietly(Path folder) {
        try {
            Files.walkFileTree(folder, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                    Files.delete(file);
                    return FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult postVisitDirectory(Path visited, IOException fault) throws IOException {
                    Files.delete(visited);
                    return FileVisitResult.CONTINUE;
                }
            });
        } catch (IOException ignored) {
            // The fault that brought us here matters more than a left-over folder, whose name tells what it is.
        }
    }
}
