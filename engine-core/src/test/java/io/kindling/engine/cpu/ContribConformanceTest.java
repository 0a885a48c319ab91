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

/** Operators of {@code com.microsoft} in many combinations of attributes, types and shapes against ONNX Runtime. */
class ContribConformanceTest {
    @TempDir
    Path folder;

    @Test
    void everyCaseGivesWhatOnnxRuntimeGives() throws Exception {
        int count = Integer.parseInt(PythonOracle.script("oracle", "make_contrib_cases.py", folder.toString()));
        Map<String, String> others;
        try (Provider provider = OneNode.javaProvider(2)) {
            others = new TreeMap<>(new ConformanceCases(provider, new SessionOptions(Precision.EXACT, 0), name -> false)
                    .runAll(folder));
        }
        assertThat(others).hasSize(count);
        others.values().removeIf("pass"::equals);
        assertThat(others).isEmpty();
    }
}
