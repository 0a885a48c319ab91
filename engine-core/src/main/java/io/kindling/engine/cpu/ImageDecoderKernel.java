package io.kindling.engine.cpu;

import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.KernelContext;
import io.kindling.engine.provider.KernelRequest;
import io.kindling.engine.provider.Tensor;
import java.awt.image.BufferedImage;
import java.awt.image.ComponentColorModel;
import java.awt.image.DataBuffer;
import java.awt.image.Raster;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.Optional;
import javax.imageio.ImageIO;
import javax.imageio.ImageReader;
import javax.imageio.stream.MemoryCacheImageInputStream;

/**
 * {@code ImageDecoder}: JPEG, PNG, BMP and TIFF through the JDK, portable any-map by {@link PortableImage}; {@code uint8 [height, width, channels]}.
 * What cannot be decoded gives an image without pixels, as the operator says; WebP and JPEG 2000, for which the JDK has no decoder,
 * are refused.
 */
final class ImageDecoderKernel implements Kernel {
    /** A bound on what a few bytes of input can ask for. */
    private static final long MAX_PIXELS = 1L << 27;

    private enum Format {
        RGB,
        BGR,
        GRAYSCALE
    }

    private final Format format;

    private ImageDecoderKernel(Format format) {
        this.format = format;
    }

    static Kernel create(KernelRequest request) {
        String name = request.node().stringAttribute("pixel_format", "RGB");
        return new ImageDecoderKernel(
                switch (name) {
                    case "RGB" -> Format.RGB;
                    case "BGR" -> Format.BGR;
                    case "Grayscale" -> Format.GRAYSCALE;
                    default -> throw Shapes.invalid("pixel_format " + name + " is none of RGB, BGR and Grayscale");
                });
    }

    /** Rows of pixels, red, green and blue, a byte each. */
    record Pixels(int height, int width, byte[] rgb) {}

    @Override
    public void execute(KernelContext context) {
        Tensor encoded = context.input(0);
        byte[] bytes = new byte[TensorIo.count(encoded)];
        encoded.bytes().get(0, bytes);
        Pixels pixels = decode(bytes).orElse(new Pixels(0, 0, new byte[0]));
        int channels = format == Format.GRAYSCALE ? 1 : 3;
        Tensor y = context.output(0, DataType.UINT8, pixels.height, pixels.width, channels);
        byte[] rgb = pixels.rgb;
        for (int k = 0; k < rgb.length; k += 3) {
            switch (format) {
                case RGB -> y.bytes().put(k, rgb, k, 3);
                case BGR -> y.bytes().put(k, rgb[k + 2]).put(k + 1, rgb[k + 1]).put(k + 2, rgb[k]);
                case GRAYSCALE -> y.bytes().put(k / 3, luma(rgb[k] & 0xff, rgb[k + 1] & 0xff, rgb[k + 2] & 0xff));
            }
        }
    }

    /** ITU-R BT.601 in 16-bit fixed point. */
    private static byte luma(int red, int green, int blue) {
        return (byte) (19595 * red + 38470 * green + 7471 * blue + 32768 >> 16);
    }

    private static Optional<Pixels> decode(byte[] bytes) {
        if (begins(bytes, 0, "RIFF") && begins(bytes, 8, "WEBP")) {
            throw unsupported("WebP");
        }
        if (begins(bytes, 4, "jP  ") || bytes.length > 3 && bytes[0] == (byte) 0xff && bytes[1] == 0x4f) {
            throw unsupported("JPEG 2000");
        }
        try {
            return PortableImage.isOne(bytes) ? PortableImage.decode(bytes, MAX_PIXELS) : decodeByReader(bytes);
        } catch (IOException | RuntimeException undecodable) {
            return Optional.empty();
        }
    }

    private static boolean begins(byte[] bytes, int from, String magic) {
        return bytes.length >= from + magic.length()
                && new String(bytes, from, magic.length(), StandardCharsets.ISO_8859_1).equals(magic);
    }

    private static KindlingException unsupported(String kind) {
        return new KindlingException(
                ErrorCode.UNSUPPORTED,
                "ImageDecoder cannot decode " + kind + " images; convert them to PNG, JPEG, BMP, TIFF or PNM");
    }

    private static Optional<Pixels> decodeByReader(byte[] bytes) throws IOException {
        try (MemoryCacheImageInputStream stream = new MemoryCacheImageInputStream(new ByteArrayInputStream(bytes))) {
            Iterator<ImageReader> readers = ImageIO.getImageReaders(stream);
            if (!readers.hasNext()) {
                return Optional.empty();
            }
            ImageReader reader = readers.next();
            try {
                reader.setInput(stream, true, true);
                long size = (long) reader.getWidth(0) * reader.getHeight(0);
                return size > MAX_PIXELS ? Optional.empty() : Optional.of(pixels(reader.read(0)));
            } finally {
                reader.dispose();
            }
        }
    }

    /** Samples as they are where they are bytes of grey or RGB, so that no colour profile changes them; else converted to sRGB. */
    private static Pixels pixels(BufferedImage image) {
        int width = image.getWidth();
        int height = image.getHeight();
        Raster raster = image.getRaster();
        int bands = raster.getNumBands();
        boolean plain = image.getColorModel() instanceof ComponentColorModel
                && raster.getSampleModel().getDataType() == DataBuffer.TYPE_BYTE;
        byte[] rgb = new byte[Math.multiplyExact(Math.multiplyExact(width, height), 3)];
        int[] line = new int[width * Math.max(bands, 1)];
        for (int row = 0; row < height; row++) {
            if (plain) {
                raster.getPixels(raster.getMinX(), raster.getMinY() + row, width, 1, line);
            }
            for (int column = 0; column < width; column++) {
                int at = (row * width + column) * 3;
                int argb = plain ? 0 : image.getRGB(column, row);
                for (int channel = 0; channel < 3; channel++) {
                    int sample = plain ? line[column * bands + (bands < 3 ? 0 : channel)] : argb >> 16 - 8 * channel;
                    rgb[at + channel] = (byte) sample;
                }
            }
        }
        return new Pixels(height, width, rgb);
    }
}
