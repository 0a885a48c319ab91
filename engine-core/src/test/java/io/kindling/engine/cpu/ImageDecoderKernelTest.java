package io.kindling.engine.cpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import io.kindling.engine.ir.Attribute;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.provider.Tensor;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.CRC32;
import java.util.zip.Deflater;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** BMP and PNG files written here byte by byte, of 3 columns and 2 rows; what the lossless formats hold comes out as it is. */
class ImageDecoderKernelTest {
    private static final int[] RGB = {255, 0, 0, 0, 255, 0, 0, 0, 255, 10, 20, 30, 200, 150, 100, 255, 255, 255};

    @ParameterizedTest
    @ValueSource(strings = {"bmp", "png", "png with alpha", "png with a palette"})
    void losslessImagesGiveTheirPixels(String kind) throws IOException {
        byte[] file =
                switch (kind) {
                    case "bmp" -> bmp();
                    case "png" -> png(2, RGB, 3, new byte[0]);
                    case "png with alpha" -> png(6, withAlpha(), 4, new byte[0]);
                    default -> png(3, new int[] {0, 1, 2, 3, 4, 5}, 1, bytes(RGB));
                };
        assertThat(decoded(file, "RGB")).hasToString("uint8[2, 3, 3]");
        assertThat(OneNode.longs(decoded(file, "RGB"))).containsExactly(longs(RGB));
        assertThat(OneNode.longs(decoded(file, "BGR")))
                .containsExactly(0, 0, 255, 0, 255, 0, 255, 0, 0, 30, 20, 10, 100, 150, 200, 255, 255, 255);
        // 0.299 R + 0.587 G + 0.114 B
        assertThat(decoded(file, "Grayscale")).hasToString("uint8[2, 3, 1]");
        assertThat(OneNode.longs(decoded(file, "Grayscale"))).containsExactly(76, 150, 29, 18, 159, 255);
    }

    @Test
    void aGreyPngHasThreeEqualChannels() throws IOException {
        byte[] file = png(0, new int[] {0, 50, 100, 150, 200, 250}, 1, new byte[0]);
        assertThat(OneNode.longs(decoded(file, "Grayscale"))).containsExactly(0, 50, 100, 150, 200, 250);
        assertThat(OneNode.longs(decoded(file, "RGB")))
                .containsExactly(0, 0, 0, 50, 50, 50, 100, 100, 100, 150, 150, 150, 200, 200, 200, 250, 250, 250);
    }

    @Test
    void whatIsNoImageGivesNoPixels() {
        assertThat(decoded(new byte[] {1, 2, 3}, "RGB")).hasToString("uint8[0, 0, 3]");
    }

    @Test
    void webPIsRefusedByName() {
        byte[] file = "RIFF....WEBPVP8L".getBytes(StandardCharsets.US_ASCII);
        assertThatThrownBy(() -> decoded(file, "RGB"))
                .isInstanceOf(KindlingException.class)
                .hasMessageContaining("WebP")
                .extracting("code")
                .isEqualTo(ErrorCode.UNSUPPORTED);
    }

    private static Tensor decoded(byte[] file, String format) {
        Tensor encoded = Tensor.allocateHost(DataType.UINT8, file.length);
        encoded.bytes().put(0, file);
        return OneNode.of("", 20, "ImageDecoder")
                .with("pixel_format", Attribute.of(format))
                .run(encoded);
    }

    /** 24 bits a pixel: rows from the bottom, blue first, each padded to 4 bytes. */
    private static byte[] bmp() {
        ByteBuffer file = ByteBuffer.allocate(54 + 2 * 12).order(ByteOrder.LITTLE_ENDIAN);
        file.put((byte) 'B').put((byte) 'M').putInt(file.capacity()).putInt(0).putInt(54);
        file.putInt(40).putInt(3).putInt(2).putShort((short) 1).putShort((short) 24);
        file.putInt(0).putInt(24).putInt(2835).putInt(2835).putInt(0).putInt(0);
        for (int row = 1; row >= 0; row--) {
            for (int column = 0; column < 3; column++) {
                for (int channel = 2; channel >= 0; channel--) {
                    file.put((byte) RGB[(row * 3 + column) * 3 + channel]);
                }
            }
            file.put(new byte[3]);
        }
        return file.array();
    }

    /** @param type PNG's colour type: 0 grey, 2 RGB, 3 palette, 6 RGB and alpha */
    private static byte[] png(int type, int[] samples, int channels, byte[] palette) throws IOException {
        ByteArrayOutputStream file = new ByteArrayOutputStream();
        file.write(new byte[] {(byte) 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'});
        byte[] header = ByteBuffer.allocate(13)
                .putInt(3)
                .putInt(2)
                .put((byte) 8)
                .put((byte) type)
                .array();
        chunk(file, "IHDR", header);
        if (palette.length > 0) {
            chunk(file, "PLTE", palette);
        }
        ByteArrayOutputStream rows = new ByteArrayOutputStream();
        for (int k = 0; k < samples.length; k++) {
            if (k % (3 * channels) == 0) {
                rows.write(0);
            }
            rows.write(samples[k]);
        }
        Deflater deflater = new Deflater();
        deflater.setInput(rows.toByteArray());
        deflater.finish();
        byte[] packed = new byte[200];
        int size = deflater.deflate(packed);
        deflater.end();
        chunk(file, "IDAT", Arrays.copyOf(packed, size));
        chunk(file, "IEND", new byte[0]);
        return file.toByteArray();
    }

    private static void chunk(ByteArrayOutputStream file, String name, byte[] content) throws IOException {
        CRC32 crc = new CRC32();
        crc.update(name.getBytes(StandardCharsets.US_ASCII));
        crc.update(content);
        DataOutputStream out = new DataOutputStream(file);
        out.writeInt(content.length);
        out.writeBytes(name);
        out.write(content);
        out.writeInt((int) crc.getValue());
    }

    private static int[] withAlpha() {
        int[] samples = new int[24];
        for (int pixel = 0; pixel < 6; pixel++) {
            System.arraycopy(RGB, pixel * 3, samples, pixel * 4, 3);
            samples[pixel * 4 + 3] = 255 - 40 * pixel;
        }
        return samples;
    }

    private static byte[] bytes(int[] values) {
        byte[] bytes = new byte[values.length];
        for (int k = 0; k < values.length; k++) {
            bytes[k] = (byte) values[k];
        }
        return bytes;
    }

    private static long[] longs(int[] values) {
        return Arrays.stream(values).asLongStream().toArray();
    }
}
