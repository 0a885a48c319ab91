package io.kindling.engine.cpu;

import io.kindling.engine.cpu.ImageDecoderKernel.Pixels;
import java.io.EOFException;
import java.io.IOException;
import java.util.Optional;

/** Netpbm's portable bit-, grey- and pix-maps, plain ({@code P1} to {@code P3}) and raw ({@code P4} to {@code P6}). */
final class PortableImage {
    private final byte[] bytes;
    private int at = 2;

    private PortableImage(byte[] bytes) {
        this.bytes = bytes;
    }

    static boolean isOne(byte[] bytes) {
        return bytes.length > 2 && bytes[0] == 'P' && bytes[1] >= '1' && bytes[1] <= '6';
    }

    /** @return empty where the image has more than {@code maxPixels} */
    static Optional<Pixels> decode(byte[] bytes, long maxPixels) throws IOException {
        return new PortableImage(bytes).decode(bytes[1] - '0', maxPixels);
    }

    private Optional<Pixels> decode(int kind, long maxPixels) throws IOException {
        boolean raw = kind > 3;
        boolean bits = kind % 3 == 1;
        int width = number();
        int height = number();
        int max = bits ? 1 : number();
        if ((long) width * height > maxPixels || max < 1 || max > 65535) {
            return Optional.empty();
        }
        if (raw) {
            at++;
        }
        int channels = kind % 3 == 0 ? 3 : 1;
        byte[] rgb = new byte[width * height * 3];
        for (int row = 0; row < height; row++) {
            int rowStart = at;
            for (int column = 0; column < width * channels; column++) {
                int sample;
                if (raw && bits) {
                    sample = next(rowStart + column / 8) >> 7 - column % 8 & 1;
                } else if (raw) {
                    sample = max < 256 ? next(at++) : next(at++) << 8 | next(at++);
                } else {
                    sample = bits ? digit() : number();
                }
                // In bitmaps 1 is black.
                int value = (bits ? 1 - sample : sample) * 255 / max;
                int target = row * width * 3 + column * (3 / channels);
                for (int k = 0; k < 3 / channels; k++) {
                    rgb[target + k] = (byte) value;
                }
            }
            if (raw && bits) {
                at = rowStart + (width + 7) / 8;
            }
        }
        return Optional.of(new Pixels(height, width, rgb));
    }

    private int next(int index) throws EOFException {
        if (index >= bytes.length) {
            throw new EOFException();
        }
        return bytes[index] & 0xff;
    }

    /** Leaves {@code at} on the next character that is neither blank nor comment. */
    private void skipBlanks() throws EOFException {
        while (Character.isWhitespace(next(at)) || next(at) == '#') {
            if (next(at) == '#') {
                while (next(at) != '\n') {
                    at++;
                }
            }
            at++;
        }
    }

    private int digit() throws IOException {
        skipBlanks();
        return next(at++) - '0' & 1;
    }

    private int number() throws IOException {
        skipBlanks();
        int value = 0;
        int start = at;
        while (at < bytes.length && Character.isDigit(bytes[at])) {
            value = Math.addExact(Math.multiplyExact(value, 10), bytes[at++] - '0');
        }
        if (at == start) {
            throw new IOException("no number at byte " + at);
        }
        return value;
    }
}
