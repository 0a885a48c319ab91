package io.kindling.engine.onnx;

import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.ModelException;
import io.kindling.engine.ir.OnnxModel;
import io.kindling.engine.onnx.proto.FunctionProto;
import io.kindling.engine.onnx.proto.ModelProto;
import io.kindling.engine.onnx.proto.OperatorSetIdProto;
import io.kindling.engine.onnx.proto.StringStringEntryProto;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Writes a model as an ONNX file and, for its larger weights, {@code NAME.data} beside it. The same model gives
 * the same bytes.
 */
public final class OnnxWriter {
    private static final String PRODUCER = "kindling";

    private OnnxWriter() {}

    /**
     * Writes the model; existing files are replaced at the end, when everything has been written.
     *
     * @throws ModelException IO, naming the file
     */
    public static void write(OnnxModel model, Path file) {
        String dataName = file.getFileName() + ".data";
        Path unfinished = file.resolveSibling(file.getFileName() + ".unfinished");
        Path unfinishedData = file.resolveSibling(dataName + ".unfinished");
        try {
            Files.deleteIfExists(unfinishedData);
            boolean empty;
            try (ExternalDataFile data = ExternalDataFile.create(unfinishedData)) {
                write(model, unfinished, data, dataName);
                empty = data.isEmpty();
            }
            if (empty) {
                Files.delete(unfinishedData);
            } else {
                Files.move(unfinishedData, file.resolveSibling(dataName), StandardCopyOption.REPLACE_EXISTING);
            }
            Files.move(unfinished, file, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException fault) {
            throw new ModelException(ErrorCode.IO, file.toString(), "", "cannot be written: " + fault, fault);
        }
    }

    /**
     * Writes a model some of whose weights are in the data file already; the others go there too.
     *
     * @param dataName by which the model refers to the data file, which has to come to lie beside it
     */
    public static void write(OnnxModel model, Path file, ExternalDataFile data, String dataName) throws IOException {
        ModelProto proto = model(model, new GraphWriter(new TensorWriter(data, dataName)));
        try (OutputStream output = Files.newOutputStream(file)) {
            proto.writeTo(output);
        }
    }

    private static ModelProto model(OnnxModel model, GraphWriter graphs) throws IOException {
        ModelProto.Builder proto = ModelProto.newBuilder()
                .setIrVersion(model.irVersion())
                .setProducerName(PRODUCER)
                .setGraph(graphs.graph(model.graph()))
                .addAllOpsetImport(imports(model.opsetImports()));
        for (OnnxModel.Function function : model.functions()) {
            proto.addFunctions(function(function, graphs));
        }
        new TreeMap<>(model.metadata())
                .forEach((key, value) -> proto.addMetadataProps(
                        StringStringEntryProto.newBuilder().setKey(key).setValue(value)));
        return proto.build();
    }

    private static FunctionProto function(OnnxModel.Function function, GraphWriter graphs) throws IOException {
        return FunctionProto.newBuilder()
                .setDomain(function.domain())
                .setName(function.name())
                .addAllInput(function.inputs())
                .addAllOutput(function.outputs())
                .addAllAttribute(function.attributeNames())
                .addAllAttributeProto(graphs.attributes(function.attributeDefaults()))
                .addAllNode(graphs.nodes(function.nodes()))
                .addAllOpsetImport(imports(function.opsetImports()))
                .build();
    }

    private static List<OperatorSetIdProto> imports(Map<String, Long> imports) {
        return new TreeMap<>(imports)
                .entrySet().stream()
                        .map(entry -> OperatorSetIdProto.newBuilder()
                                .setDomain(entry.getKey())
                                .setVersion(entry.getValue())
                                .build())
                        .toList();
    }
}
