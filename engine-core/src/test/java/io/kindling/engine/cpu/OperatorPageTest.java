package io.kindling.engine.cpu;

import static org.assertj.core.api.Assertions.assertThat;

import io.kindling.engine.provider.Provider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class OperatorPageTest {
    private static final Path MODULE = Path.of("").toAbsolutePath();

    @Test
    void thePageIsThatOfTheRegistry() throws IOException {
        Path fresh = MODULE.resolve("target/OPERATORS.md");
        Files.writeString(fresh, OperatorPage.markdown());
        assertThat(MODULE.resolveSibling("OPERATORS.md"))
                .as("copy %s there", fresh)
                .hasSameTextualContentAs(fresh);
    }

    @Test
    void everyVersionOfEveryDefinedOperatorIsRunOrHasAReasonNotToBe() throws IOException {
        Map<String, String> reasons = OperatorPage.reasons();
        Set<String> missing = new TreeSet<>();
        Set<String> needless = new TreeSet<>();
        List<OperatorPage.Definition> definitions = OperatorPage.definitions();
        assertThat(definitions).hasSizeGreaterThan(800);
        try (Provider provider = OneNode.javaProvider(1)) {
            for (OperatorPage.Definition definition : definitions) {
                boolean known = OperatorPage.WITH_BODIES.contains(definition.key())
                        || provider.kernels()
                                .find(definition.domain(), definition.name(), definition.since())
                                .isPresent();
                if (!known && !reasons.containsKey(definition.key())) {
                    missing.add(definition.key() + " " + definition.since());
                }
                if (known && reasons.containsKey(definition.key())) {
                    needless.add(definition.key());
                }
            }
        }
        assertThat(missing).isEmpty();
        assertThat(needless).isEmpty();
    }
}
