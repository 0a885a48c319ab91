package io.kindling.engine.cpu;

import static org.assertj.core.api.Assertions.assertThat;

import io.kindling.engine.provider.Precision;
import io.kindling.engine.provider.Provider;
import io.kindling.engine.session.SessionOptions;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A few random cases of every since-version of every ONNX operator, in element types of all kinds; {@code operator_cases.py} recorded
 * them with ONNX Runtime and the ONNX reference, and makes the whole set of more than 20,000.
 */
class OperatorCasesTest {
    @TempDir
    Path folder;

    @Test
    void everyRecordedCaseGivesWhatTheOracleGave() throws Exception {
        OperatorCases.unpack(folder);
        Map<String, String> others;
        try (Provider provider = OneNode.javaProvider(2)) {
            others = new TreeMap<>(new ConformanceCases(provider, new SessionOptions(Precision.EXACT, 0), name -> false)
                    .runAll(folder));
        }
        assertThat(others).hasSizeGreaterThan(1500);
        others.values().removeIf("pass"::equals);
        assertThat(others).isEmpty();
    }
}
