package io.kindling.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.kindling.engine.error.ErrorCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class TroubleshootingPageTest {
    private static final Path PAGE = Path.of("../../docs/troubleshooting.md");
    private static final Pattern CODE = Pattern.compile("\\| `([A-Z_]+)` \\| (yes|no) \\| .+ \\| .+ \\|");

    @Test
    void thePageHasEveryErrorCodeInOrderAndSaysWhichMayPass() throws IOException {
        List<String> written = Files.readAllLines(PAGE).stream()
                .map(CODE::matcher)
                .filter(line -> line.matches())
                .map(line -> line.group(1) + " " + line.group(2))
                .toList();
        assertThat(written)
                .isEqualTo(Arrays.stream(ErrorCode.values())
                        .map(code -> code + (code.mayPass() ? " yes" : " no"))
                        .toList());
    }
}
