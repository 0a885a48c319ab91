package io.kindling.engine.gguf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GgufPartsTest {
    private static final int F32 = 0;

    @TempDir
    Path folder;

    private static byte[] floats(float... values) {
        ByteBuffer bytes = ByteBuffer.allocate(values.length * Float.BYTES).order(java.nio.ByteOrder.LITTLE_ENDIAN);
        for (float value : values) {
            bytes.putFloat(value);
        }
        return bytes.array();
    }

    private static GgufBytes part(int number) {
        GgufBytes bytes =
                new GgufBytes().put("split.no", number).put("split.count", 3).put("split.tensors.count", 4);
        if (number == 0) {
            bytes.put("general.name", "whole");
        }
        return bytes.tensor("w" + number, F32, floats(number, number + 0.5f), 2);
    }

    private Path file(int number) {
        return folder.resolve("m-0000" + (number + 1) + "-of-00003.gguf");
    }

    private void write(int number, GgufBytes bytes) throws IOException {
        Files.write(file(number), bytes.build());
    }

    @BeforeEach
    void threeParts() throws IOException {
        write(0, part(0));
        write(1, part(1).tensor("more", F32, floats(7, 8, 9), 3));
        write(2, part(2));
    }

    @Test
    void anyPartNamesTheWholeModel() {
        for (int number = 0; number < 3; number++) {
            GgufFile whole = GgufParts.read(file(number));
            assertThat(whole.path()).isEqualTo(file(0));
            assertThat(whole.require("general.name", String.class)).isEqualTo("whole");
            assertThat(whole.tensors().keySet()).containsExactly("w0", "w1", "more", "w2");
            ByteBuffer third = whole.map(whole.tensor("w2"));
            assertThat(List.of(third.getFloat(0), third.getFloat(4))).containsExactly(2f, 2.5f);
            assertThat(whole.map(whole.tensor("more")).getFloat(8)).isEqualTo(9f);
        }
    }

    @Test
    void aMissingPartIsNamed() throws IOException {
        Files.delete(file(1));
        assertThatThrownBy(() -> GgufParts.read(file(2)))
                .hasMessageContaining("m-00003-of-00003.gguf")
                .hasMessageContaining("'m-00002-of-00003.gguf' is missing");
    }

    @Test
    void partsThatDoNotBelongTogetherAreRefused() throws IOException {
        write(1, part(1).put("split.no", 2).tensor("more", F32, floats(1), 1));
        assertThatThrownBy(() -> GgufParts.read(file(0)))
                .hasMessageContaining("split.no: is 2, but the name says part 2");
        write(1, part(1).put("split.count", 5).tensor("more", F32, floats(1), 1));
        assertThatThrownBy(() -> GgufParts.read(file(0)))
                .hasMessageContaining("split.count: is 5, but the name says 3");
        write(1, part(1).remove("split.count").tensor("more", F32, floats(1), 1));
        assertThatThrownBy(() -> GgufParts.read(file(0))).hasMessageContaining("split.count: is missing");
        write(1, part(1).tensor("w0", F32, floats(1), 1));
        assertThatThrownBy(() -> GgufParts.read(file(0))).hasMessageContaining("'w0': is in an earlier part too");
        write(1, part(1));
        assertThatThrownBy(() -> GgufParts.read(file(0))).hasMessageContaining("is 4, but the parts hold 3");
    }

    @Test
    void aPartUnderAnotherNameIsNoModel() throws IOException {
        Path alone = Files.write(folder.resolve("alone.gguf"), part(0).build());
        assertThatThrownBy(() -> GgufParts.read(alone)).hasMessageContaining("NAME-00001-of-0000N.gguf");
        Path none = Files.write(folder.resolve("m-00001-of-00000.gguf"), part(0).build());
        assertThatThrownBy(() -> GgufParts.read(none)).hasMessageContaining("0 files");
    }
}
