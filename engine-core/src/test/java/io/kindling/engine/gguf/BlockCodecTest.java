package io.kindling.engine.gguf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.kindling.engine.ir.Half;
import io.kindling.engine.testing.PythonOracle;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Random blocks against ggml's own Python package. */
class BlockCodecTest {
    private static final int ROWS = 7;
    private static final int COLUMNS = 512;

    @TempDir
    static Path folder;

    private static JsonNode sizes;

    @BeforeAll
    static void makeBlocks() throws Exception {
        sizes = new ObjectMapper().readTree(PythonOracle.script("oracle", "make_gguf_blocks.py", folder.toString()));
    }

    private static WeightRows rows(GgufType type) {
        Path blocks = folder.resolve(type + ".blocks");
        long bytes = (long) ROWS * COLUMNS / type.blockElements() * type.blockBytes();
        GgufTensor tensor = new GgufTensor(blocks, "w", type, List.of((long) COLUMNS, (long) ROWS), 0, bytes);
        return WeightRows.of(new GgufFile(blocks, Map.of(), Map.of("w", tensor)), tensor);
    }

    private static FloatBuffer wanted(GgufType type) throws IOException {
        byte[] bytes = Files.readAllBytes(folder.resolve(type + ".values"));
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).asFloatBuffer();
    }

    private interface Part {
        void put(int row, ByteBuffer target);
    }

    private static ByteBuffer all(int rowBytes, Part part) {
        ByteBuffer target = ByteBuffer.allocate(ROWS * rowBytes).order(ByteOrder.LITTLE_ENDIAN);
        for (int row = 0; row < ROWS; row++) {
            part.put(row, target);
        }
        assertThat(target.hasRemaining()).isFalse();
        return target.flip();
    }

    @ParameterizedTest
    @EnumSource
    void valuesStayExactButForTheRoundingOfZeroPoints(BlockLayout layout) throws IOException {
        GgufType type = GgufType.valueOf(layout.name());
        BlockCodec codec = new BlockCodec(rows(type));
        int groups = codec.groupsPerRow();
        ByteBuffer codes = all(groups * codec.codeBytesPerGroup(), codec::putCodes);
        ByteBuffer scales = all(groups * Float.BYTES, codec::putScales);
        ByteBuffer zeroPoints = codec.hasZeroPoints() ? all(groups * Float.BYTES, codec::putZeroPoints) : null;
        FloatBuffer wanted = wanted(type);
        for (int i = 0; i < ROWS * COLUMNS; i++) {
            int code = codec.bits() == 8 ? codes.get(i) & 255 : codes.get(i / 2) >> i % 2 * 4 & 15;
            float scale = scales.getFloat(Float.BYTES * (i / codec.groupSize()));
            double zero = zeroPoints == null
                    ? 1 << codec.bits() - 1
                    : zeroPoints.getFloat(Float.BYTES * (i / codec.groupSize()));
            double value = scale * (code - zero);
            // ggml's reader itself rounds its product and sum to float32.
            double offset = Math.abs(scale * zero);
            double rounding =
                    zeroPoints == null ? 0 : 0x1p-23 * offset + Math.ulp(wanted.get(i)) + Math.ulp((float) offset);
            assertThat((double) wanted.get(i)).as("%s element %d", type, i).isCloseTo(value, within(rounding));
        }
    }

    @ParameterizedTest
    @EnumSource
    void halvesAreTheNearest(BlockLayout layout) throws IOException {
        GgufType type = GgufType.valueOf(layout.name());
        ByteBuffer halves = all(COLUMNS * Short.BYTES, new FloatCodec(rows(type))::putHalfRow);
        FloatBuffer wanted = wanted(type);
        for (int i = 0; i < ROWS * COLUMNS; i++) {
            assertThat(Half.toFloat(halves.getShort(Short.BYTES * i)))
                    .isEqualTo(Half.toFloat(Half.ofFloat(wanted.get(i))));
        }
    }

    @Test
    void typesHaveTheCodesAndBlockSizesOfGgml() {
        for (GgufType type : GgufType.values()) {
            JsonNode size = sizes.get(type.name());
            assertThat(List.of(type.code(), type.blockElements(), type.blockBytes()))
                    .as(type.name())
                    .containsExactly(
                            size.get(0).asInt(),
                            size.get(1).asInt(),
                            size.get(2).asInt());
        }
    }
}
