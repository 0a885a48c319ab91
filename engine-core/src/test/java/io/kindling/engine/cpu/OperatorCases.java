package io.kindling.engine.cpu;

import java.io.DataInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.GZIPInputStream;

/** The recorded cases of {@code operator_cases.py}: a few random ones of every since-version of every ONNX operator. */
public final class OperatorCases {
    private static final int BLOCK = 512;

    private OperatorCases() {}

    /** The archive is plain ustar: headers of 512 bytes with name and octal size, contents padded to whole blocks. */
    public static void unpack(Path folder) throws IOException {
        try (DataInputStream in = new DataInputStream(
                new GZIPInputStream(OperatorCases.class.getResourceAsStream("operator-cases.tar.gz")))) {
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
