package io.kindling.engine.onnx;

import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.ModelException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Finds external data files and keeps them inside the model's folder: a location is relative, without {@code ..}, and its
 * real path lies under the real path of the folder. Where the folder is a snapshot of a Hugging Face cache, whose files
 * are links to {@code blobs} beside {@code snapshots}, real paths may lie there too.
 */
final class ExternalFiles {
    private final Path folder;
    private final List<Path> roots = new ArrayList<>();

    ExternalFiles(Path modelFile) {
        folder = modelFile.toAbsolutePath().normalize().getParent();
        try {
            roots.add(folder.toRealPath());
            for (Path at = folder; at != null && at.getParent() != null; at = at.getParent()) {
                Path parent = at.getParent();
                boolean snapshots = parent.getFileName() != null
                        && parent.getFileName().toString().equals("snapshots");
                if (snapshots && Files.isDirectory(parent.resolveSibling("blobs"))) {
                    roots.add(parent.resolveSibling("blobs").toRealPath());
                    break;
                }
            }
        } catch (IOException fault) {
            throw new ModelException(
                    ErrorCode.IO, modelFile.toString(), "", "its folder cannot be read: " + fault, fault);
        }
    }

    /** The real file behind a location. */
    Path resolve(String source, String tensor, String location) {
        String element = "tensor '" + tensor + "'";
        Path relative;
        try {
            relative = Path.of(location);
        } catch (InvalidPathException fault) {
            throw new ModelException(
                    ErrorCode.MODEL_INVALID, source, element, "external location '" + location + "' is no path", fault);
        }
        if (location.isEmpty()) {
            throw new ModelException(ErrorCode.MODEL_INVALID, source, element, "has external data without a location");
        }
        if (relative.isAbsolute() || location.startsWith("/") || location.startsWith("\\")) {
            throw new ModelException(
                    ErrorCode.MODEL_INVALID,
                    source,
                    element,
                    "external location '" + location + "': absolute paths are not allowed");
        }
        for (Path part : relative) {
            if (part.toString().equals("..")) {
                throw new ModelException(
                        ErrorCode.MODEL_INVALID,
                        source,
                        element,
                        "external location '" + location + "': parent-directory (`..`) traversal is not allowed");
            }
        }
        Path file = folder.resolve(relative);
        Path real;
        try {
            real = file.toRealPath();
        } catch (IOException fault) {
            throw new ModelException(
                    ErrorCode.NOT_FOUND,
                    source,
                    element,
                    "external data file '" + location + "' does not exist beside the model; copy the whole package",
                    fault);
        }
        if (roots.stream().noneMatch(real::startsWith)) {
            throw new ModelException(
                    ErrorCode.MODEL_INVALID,
                    source,
                    element,
                    "external location '" + location + "' leads out of the model's folder, to " + real);
        }
        return real;
    }
}
