package io.kindling.engine.onnx;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.UnsafeByteOperations;
import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.ModelException;
import io.kindling.engine.ir.OnnxModel;
import io.kindling.engine.onnx.proto.ModelProto;
import io.kindling.engine.onnx.proto.OperatorSetIdProto;
import io.kindling.engine.onnx.proto.StringStringEntryProto;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads an ONNX file into the engine's graph. Weights in external data stay in their files; inline ones stay in the mapped
 * graph file. Everything is checked here, so that later stages may trust the graph's structure: names resolve, nodes are
 * in topological order, sizes do not overflow and match their data.
 */
public final class OnnxLoader {
    private static final long MAX_PLAUSIBLE_OPSET = 1000;

    private OnnxLoader() {}

    /** @throws ModelException NOT_FOUND, MODEL_INVALID or UNSUPPORTED, naming file, node or tensor, and field */
    public static OnnxModel load(Path file) {
        return load(file, LoadLimits.defaults());
    }

    public static OnnxModel load(Path file, LoadLimits limits) {
        String source = file.toString();
        ModelProto proto = parse(file, source, limits);
        if (!proto.hasGraph()) {
            throw new ModelException(
                    ErrorCode.MODEL_INVALID, source, "graph", "is missing; is this an ONNX model file?");
        }
        if (proto.getIrVersion() < 1) {
            throw new ModelException(
                    ErrorCode.MODEL_INVALID,
                    source,
                    "ir_version",
                    "is " + proto.getIrVersion() + ", expected 1 or more");
        }
        Map<String, Long> opsets = opsets(source, "opset_import", proto.getOpsetImportList());
        if (opsets.isEmpty()) {
            throw new ModelException(
                    ErrorCode.MODEL_INVALID,
                    source,
                    "opset_import",
                    "is empty, so no operator has a version; export the model again");
        }
        GraphReader reader = new GraphReader(source, new TensorReader(source, new ExternalFiles(file), limits), limits);
        Map<String, String> metadata = new HashMap<>();
        for (StringStringEntryProto entry : proto.getMetadataPropsList()) {
            metadata.put(entry.getKey(), entry.getValue());
        }
        OnnxModel model = new OnnxModel(
                source,
                proto.getIrVersion(),
                opsets,
                reader.graph(proto.getGraph(), 0),
                reader.functions(proto.getFunctionsList()),
                metadata);
        return model.withGraph(GraphChecker.check(model));
    }

    static Map<String, Long> opsets(String source, String field, List<OperatorSetIdProto> imports) {
        Map<String, Long> opsets = new HashMap<>();
        for (OperatorSetIdProto entry : imports) {
            String domain = GraphReader.domain(entry.getDomain());
            if (entry.getVersion() < 1 || entry.getVersion() > MAX_PLAUSIBLE_OPSET) {
                throw new ModelException(
                        ErrorCode.MODEL_INVALID,
                        source,
                        field,
                        "domain '" + domain + "' has version " + entry.getVersion() + ", expected 1 to "
                                + MAX_PLAUSIBLE_OPSET);
            }
            opsets.merge(domain, entry.getVersion(), Math::max);
        }
        return opsets;
    }

    private static ModelProto parse(Path file, String source, LoadLimits limits) {
        if (!Files.isRegularFile(file)) {
            throw new ModelException(
                    ErrorCode.NOT_FOUND, source, "", Files.exists(file) ? "is not a file" : "does not exist");
        }
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            long size = channel.size();
            if (size == 0) {
                throw new ModelException(ErrorCode.MODEL_INVALID, source, "", "is empty");
            }
            if (size > limits.modelBytes()) {
                throw new ModelException(
                        ErrorCode.UNSUPPORTED,
                        source,
                        "",
                        "has " + size + " bytes, the format's limit is " + limits.modelBytes()
                                + "; save the weights as external data");
            }
            ByteBuffer bytes = channel.map(FileChannel.MapMode.READ_ONLY, 0, size);
            // Only a stream over an immutable buffer hands out slices of the mapping instead of copies.
            CodedInputStream input = UnsafeByteOperations.unsafeWrap(bytes).newCodedInput();
            input.enableAliasing(true);
            input.setRecursionLimit(limits.nesting() * 4);
            ModelProto proto = ModelProto.parseFrom(input);
            if (!input.isAtEnd()) {
                throw new ModelException(ErrorCode.MODEL_INVALID, source, "", "has bytes behind its end");
            }
            return proto;
        } catch (InvalidProtocolBufferException fault) {
            throw new ModelException(
                    ErrorCode.MODEL_INVALID,
                    source,
                    "",
                    "is no readable ONNX file, " + likely(file) + ": " + fault.getMessage(),
                    fault);
        } catch (IOException fault) {
            throw new ModelException(ErrorCode.IO, source, "", "cannot be read: " + fault, fault);
        }
    }

    /** What lies where a model should, by its first bytes: what failed downloads leave is often no model at all. */
    private static String likely(Path file) {
        byte[] first = new byte[64];
        int read;
        try (InputStream in = Files.newInputStream(file)) {
            read = in.readNBytes(first, 0, first.length);
        } catch (IOException gone) {
            read = 0;
        }
        String text = new String(first, 0, read, StandardCharsets.ISO_8859_1).strip();
        if (text.startsWith("version https://git-lfs")) {
            return "but a pointer of Git LFS; fetch the file itself with 'git lfs pull'";
        }
        if (text.startsWith("<")) {
            return "but a page that begins with '" + text.lines().findFirst().orElseThrow()
                    + "'; download the file itself";
        }
        return "perhaps cut off or not a model";
    }
}
