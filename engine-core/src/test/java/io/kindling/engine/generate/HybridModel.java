package io.kindling.engine.generate;

import io.kindling.engine.ir.OnnxModel;
import io.kindling.engine.metadata.DecoderIo;
import io.kindling.engine.metadata.ModelPackage;
import io.kindling.engine.metadata.PackageFiles;
import io.kindling.engine.metadata.PackageResolver;
import io.kindling.engine.onnx.OnnxLoader;
import io.kindling.engine.testing.PythonOracle;
import java.nio.file.Path;

/** A package of {@code src/test/python/make_hybrid_models.py}. */
record HybridModel(OnnxModel graph, ModelPackage resolved) {
    static void make(Path folder) throws Exception {
        PythonOracle.script("oracle", "make_hybrid_models.py", folder.toString());
    }

    static HybridModel open(Path folder, String name) {
        PackageFiles files = PackageFiles.locate(folder.resolve(name));
        OnnxModel graph = OnnxLoader.load(files.modelFile());
        return new HybridModel(graph, PackageResolver.resolve(files, graph));
    }

    DecoderIo io() {
        return resolved.decoder().orElseThrow();
    }
}
