package io.kindling.engine.cpu;

import static org.assertj.core.api.Assertions.assertThat;

import io.kindling.engine.provider.Precision;
import io.kindling.engine.provider.Provider;
import io.kindling.engine.session.SessionOptions;
import io.kindling.engine.testing.PythonOracle;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Trees, linear models, machines and pipelines of scikit-learn and LightGBM: outputs equal ONNX Runtime's and the libraries' own. */
class SklearnModelsTest {
    @TempDir
    Path folder;

    @Test
    void convertedModelsPredictWhatTheirLibrariesPredict() throws Exception {
        int count = Integer.parseInt(PythonOracle.script("sklearn", "make_sklearn_models.py", folder.toString()));
        Map<String, String> others;
        try (Provider provider = OneNode.javaProvider(2)) {
            others = new TreeMap<>(new ConformanceCases(provider, new SessionOptions(Precision.EXACT, 0), name -> false)
                    .runAll(folder));
        }
        assertThat(others).hasSize(count).hasSizeGreaterThan(80);
        others.values().removeIf("pass"::equals);
        assertThat(others).isEmpty();
    }
}
