package io.kindling.engine.cpu;

import static org.assertj.core.api.Assertions.assertThat;

import io.kindling.engine.provider.Precision;
import io.kindling.engine.provider.Provider;
import io.kindling.engine.session.SessionOptions;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * ONNX's own backend node cases, written by the onnx package of the oracle environment, against the Java kernels. {@code
 * node-cases.txt} lists every case and what becomes of it: nothing (it passes), {@code unsupported} or {@code fail}; a case that
 * starts to pass must lose its mark.
 */
class NodeConformanceTest {
    @Test
    void everyCaseDoesWhatTheListSays() throws Exception {
        Map<String, String> expected = NodeCases.expected();
        Map<String, String> details;
        try (Provider provider = OneNode.javaProvider(2)) {
            details = new ConformanceCases(provider, new SessionOptions(Precision.EXACT, 0), NodeCases.RANDOM)
                    .runAll(NodeCases.folder());
        }
        Map<String, String> got = new TreeMap<>();
        details.forEach((name, outcome) -> got.put(name, outcome.split(":")[0]));
        List<String> surprises = got.keySet().stream()
                .filter(name -> !got.get(name).equals(expected.get(name)))
                .map(name -> name + ": expected " + expected.get(name) + ", got " + details.get(name))
                .toList();
        assertThat(surprises).isEmpty();
        assertThat(got.keySet()).isEqualTo(expected.keySet());
    }
}
