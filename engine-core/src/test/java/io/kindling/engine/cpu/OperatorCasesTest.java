package io.kindling.engine.cpu;

import static org.assertj.core.api.Assertions.assertThat;

import io.kindling.engine.provider.Precision;
import io.kindling.engine.provider.Provider;
import io.kindling.engine.session.SessionOptions;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A few random cases of every since-version of every ONNX operator, in element types of all kinds; {@code operator_cases.py} recorded
 * them with ONNX Runtime and the ONNX reference, and makes the whole set of more than 20,000.
 */
class OperatorCasesTest {
    private static final int BLOCK = 512;

    @TempDir
    Path folder;

    @Test
    void everyRecordedCaseGivesWhatTheOracleGave() throws Exception {
        unpack();
        Map<String, String> others;
        try (Provider provider = OneNode.javaProvider(2)) {
            others = new TreeMap<>(new ConformanceCases(provider, new SessionOptions(Precision.EXACT, 0), name -> false)
                    .runAll(folder));
        }
        assertThat(others).hasSizeGreaterThan(1500);
        others.values().removeIf("pass"::equals);
        assertThat(others).isEmpty();
    }

    /** The archive is plain ustar: headers of 512 bytes with name and octal size, contents padded to whole blocks. */
    private void unpack() throws IOException {
        try (DataInputStream in = new DataInputStream(
                new GZIPInputStream(OperatorCasesTest.class.getResourceAsStream("operator-cases.tar.gz")))) {
            byte[] header = new byte[BLOCK];
            for (in.readFully(header); header[0] != 0; in.readFully(header)) {
                String prefix = text(header, 345, 155);
                String name = text(header, 0, 100);
                Path file = folder.resolve(prefix.isEmpty() ? name : prefix + "/" + name);
                int size = Integer.parseInt(text(header, 124, 12).strip(), 8);
                byte[] padded = new byte[(size + BLOCK - 1) / BLOCK * BLOCK];
                in.readFully(padded);
                Files.createDirectories(file.getParent());
                Files.write(file, Arrays.copyOf(padded, size));
            }
        }
    }

    private static String text(byte[] header, int offset, int length) {
        int end = offset;
        while (end < offset + length && header[end] != 0) {
            end++;
        }
        return new String(header, offset, end - offset, StandardCharsets.US_ASCII);
    }
}
