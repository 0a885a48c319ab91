package io.kindling.spark.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.kindling.engine.OptionDocs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** To renew the table after a change of options, run this test with {@code -Dkindling.write.docs=true}. */
class SourcePageTest {
    private static final Path PAGE = Path.of("..", "..", "docs", "source.md");
    private static final String HEAD = "| option |";

    @Test
    void theTableOfOptionsEqualsTheirDeclarations() throws IOException {
        String page = Files.readString(PAGE);
        String expected = OptionDocs.rows(SourceOptions.OWN);
        int table = page.indexOf(HEAD);
        if (Boolean.getBoolean("kindling.write.docs")) {
            Files.writeString(PAGE, (table < 0 ? page : page.substring(0, table)) + expected);
        }
        assertThat(Files.readString(PAGE)).endsWith("\n\n" + expected);
    }
}
