package io.kindling.engine.gguf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kindling.engine.error.ModelException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GgufReaderTest {
    @TempDir
    Path folder;

    private Path write(byte[] bytes) throws IOException {
        return Files.write(folder.resolve("m.gguf"), bytes);
    }

    @Test
    void readsMetadataAndTensors() throws IOException {
        GgufBytes bytes = new GgufBytes()
                .put("a.number", 7)
                .put("a.text", "grün")
                .put("a.list", List.of("x", "y"))
                .tensor("w", 0, new byte[8], 2)
                .tensor("q", 8, new byte[68], 32, 2);
        GgufFile file = GgufReader.read(write(bytes.build()));
        assertThat(file.metadata()).containsEntry("a.number", 7L).containsEntry("a.text", "grün");
        assertThat(file.metadata().get("a.list")).isEqualTo(List.of("x", "y"));
        assertThat(file.tensor("q").type()).isEqualTo(GgufType.Q8_0);
        assertThat(file.tensor("q").byteSize()).isEqualTo(68);
        assertThat(file.tensor("q").offset() - file.tensor("w").offset()).isEqualTo(32);
    }

    @Test
    void namesFieldAndOffsetOfWhatIsWrong() throws IOException {
        Path other = write("PK\u0003\u0004 something else".getBytes());
        assertThatThrownBy(() -> GgufReader.read(other)).hasMessageContaining("m.gguf: magic at offset 0: is not GGUF");
        Path empty = write(new byte[0]);
        assertThatThrownBy(() -> GgufReader.read(empty)).hasMessageContaining("is empty");
        Path large = write(new GgufBytes().tensor("w", 0, new byte[4], 1L << 40).build());
        assertThatThrownBy(() -> GgufReader.read(large))
                .hasMessageContaining("tensor 'w' dimension 0 at offset")
                .hasMessageContaining("more than the file holds");
        Path odd = write(new GgufBytes().tensor("w", 8, new byte[34], 33).build());
        assertThatThrownBy(() -> GgufReader.read(odd)).hasMessageContaining("no multiple of the 32 elements");
        Path unknown = write(new GgufBytes().tensor("w", 77, new byte[34], 1).build());
        assertThatThrownBy(() -> GgufReader.read(unknown)).hasMessageContaining("is 77");
        byte[] whole = new GgufBytes().tensor("w", 0, new byte[64], 16).build();
        Path cut = write(Arrays.copyOf(whole, whole.length - 1));
        assertThatThrownBy(() -> GgufReader.read(cut)).hasMessageContaining("the file is cut off");
    }

    @Test
    void tensorsMayNotLieInEachOther() throws IOException {
        byte[] file = new GgufBytes()
                .tensor("a", 0, new byte[64], 16)
                .tensor("b", 0, new byte[64], 16)
                .build();
        // The offset of b, 64, is the last field before the data.
        int at = file.length - 128 - Long.BYTES;
        while (file[at] != 64) {
            at--;
        }
        file[at] = 32;
        Path damaged = write(file);
        assertThatThrownBy(() -> GgufReader.read(damaged))
                .hasMessageContaining("'b': begins at offset 32")
                .hasMessageContaining("inside tensor 'a'");
    }

    @Test
    void refusesEveryTruncationWithATypedError() throws IOException {
        byte[] whole = GgufBytes.tinyLlama(3, 8).build();
        for (int length = 1; length < 1200; length++) {
            Path file = write(Arrays.copyOf(whole, length));
            assertThatThrownBy(() -> GgufReader.read(file)).isInstanceOf(ModelException.class);
        }
    }

    @Test
    void damagedBytesNeverCauseAnythingButATypedError() throws IOException {
        byte[] whole = GgufBytes.tinyLlama(3, 8).build();
        Random random = new Random(3);
        int refused = 0;
        for (int round = 0; round < 1500; round++) {
            byte[] damaged = whole.clone();
            for (int k = 0; k < 3; k++) {
                damaged[random.nextInt(1200)] = (byte) random.nextInt(256);
            }
            try {
                GgufReader.read(write(damaged));
            } catch (ModelException fault) {
                refused++;
            }
        }
        assertThat(refused).isGreaterThan(500);
    }
}
