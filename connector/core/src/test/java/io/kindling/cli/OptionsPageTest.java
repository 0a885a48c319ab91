package io.kindling.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.kindling.engine.OptionDocs;
import io.kindling.spark.config.SparkOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** To renew the page after a change of options, run this test with {@code -Dkindling.write.docs=true}. */
class OptionsPageTest {
    private static final Path PAGE = Path.of("..", "..", "docs", "options.md");

    @Test
    void thePageOfOptionsEqualsTheirDeclarations() throws IOException {
        String expected = OptionDocs.markdown(SparkOptions.table());
        if (Boolean.getBoolean("kindling.write.docs")) {
            Files.createDirectories(PAGE.getParent());
            Files.writeString(PAGE, expected);
        }
        assertThat(PAGE).hasContent(expected);
    }
}
