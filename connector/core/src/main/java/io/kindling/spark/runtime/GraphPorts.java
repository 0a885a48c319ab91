package io.kindling.spark.runtime;

import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import io.kindling.engine.ir.ValueInfo;
import io.kindling.engine.metadata.PackageFiles;
import io.kindling.engine.onnx.OnnxLoader;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;

/** The inputs and outputs of a graph, as its file declares them. */
public record GraphPorts(List<ValueInfo> inputs, List<ValueInfo> outputs) {

    /** Reads the graph of a model on this machine's own disk, and no weights; empty for a model that lies elsewhere. */
    public static Optional<GraphPorts> ofLocal(String uri, Configuration configuration) {
        org.apache.hadoop.fs.Path location = new org.apache.hadoop.fs.Path(uri);
        URI qualified = location.toUri().getScheme() == null
                ? org.apache.hadoop.fs.FileSystem.getDefaultUri(configuration).resolve(location.toUri())
                : location.toUri();
        if (!"file".equals(qualified.getScheme()) || !Files.exists(Path.of(qualified.getPath()))) {
            return Optional.empty();
        }
        var graph = OnnxLoader.load(
                        PackageFiles.locate(Path.of(qualified.getPath())).modelFile())
                .graph();
        return Optional.of(new GraphPorts(graph.inputs(), graph.outputs()));
    }

    /** @throws KindlingException SHAPE_OR_TYPE when there is none of that name */
    public static ValueInfo named(List<ValueInfo> ports, String name) {
        return ports.stream()
                .filter(port -> port.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new KindlingException(
                        ErrorCode.SHAPE_OR_TYPE,
                        "the graph has no port '" + name + "' there; it has "
                                + ports.stream().map(ValueInfo::name).toList()));
    }

    /** @throws KindlingException SHAPE_OR_TYPE unless the names are those of all inputs */
    public void requireInputs(List<String> names) {
        names.forEach(name -> named(inputs, name));
        for (ValueInfo input : inputs) {
            if (!names.contains(input.name())) {
                throw new KindlingException(
                        ErrorCode.SHAPE_OR_TYPE,
                        "the graph's input '" + input.name() + "' has no column; call input(\"" + input.name()
                                + "\", column)");
            }
        }
    }
}
