package io.kindling.engine.cpu.simd;

import static io.kindling.engine.cpu.simd.SelfTestData.address;
import static io.kindling.engine.cpu.simd.SelfTestData.at;
import static io.kindling.engine.cpu.simd.SelfTestData.floats;
import static io.kindling.engine.cpu.simd.SelfTestData.pattern;

import io.kindling.engine.cpu.simd.WindowJob.Field;
import io.kindling.engine.cpu.simd.WindowJob.Mode;
import java.nio.ByteBuffer;

/** Convolutions and poolings of two rows of places that windows of 3 by 3 reach over the border of; see {@link SelfTest}. */
final class WindowSelfTest {
    private static final int CHANNELS = 3;
    private static final int FILTERS = 5;
    private static final int HEIGHT = 5;
    private static final int WIDTH = 41;
    private static final int KERNEL = 3;
    private static final int TAPS = KERNEL * KERNEL;
    private static final int STRIDE = 2;
    private static final int ROWS = 3;
    private static final int COLUMNS = 21;
    private static final int PLACES = ROWS * COLUMNS;
    private static final float LOW = -0.5f;
    private static final float HIGH = 1.5f;

    private WindowSelfTest() {}

    /** Empty when right; else what differs. */
    static String run(KernelSet set) {
        ByteBuffer x = pattern(CHANNELS * HEIGHT * WIDTH, 37);
        ByteBuffer w = pattern(FILTERS * CHANNELS * TAPS, 53);
        ByteBuffer bias = pattern(FILTERS, 29);
        ByteBuffer y = floats(FILTERS * PLACES);
        ByteBuffer scratch = floats(4 * PLACES * CHANNELS * TAPS);
        ByteBuffer struct = ByteBuffer.allocateDirect(WindowJob.BYTE_SIZE);
        WindowJob job = new WindowJob(struct)
                .activation(new Activation(Activation.Kind.CLIP, LOW, HIGH))
                .set(Field.X, address(x))
                .set(Field.W, address(w))
                .set(Field.BIAS, address(bias))
                .set(Field.Y, address(y))
                .set(Field.FILTERS, FILTERS)
                .set(Field.CHANNELS, CHANNELS)
                .set(Field.GROUPS, 1)
                .set(Field.HEIGHT, HEIGHT)
                .set(Field.WIDTH, WIDTH)
                .set(Field.KERNEL_HEIGHT, KERNEL)
                .set(Field.KERNEL_WIDTH, KERNEL)
                .set(Field.STRIDE_Y, STRIDE)
                .set(Field.STRIDE_X, STRIDE)
                .set(Field.DILATION_Y, 1)
                .set(Field.DILATION_X, 1)
                .set(Field.TOP, 1)
                .set(Field.LEFT, 1)
                .set(Field.OUT_HEIGHT, ROWS)
                .set(Field.OUT_WIDTH, COLUMNS)
                .set(Field.ROW_BLOCK, FILTERS)
                .set(Field.PANEL_BLOCK, GemmJob.panels(PLACES));
        Native.conv(set.address(), address(struct), address(scratch), 0, 1);
        String fault = differs(y, FILTERS, (filter, place) -> {
            double sum = at(bias, filter);
            for (int c = 0; c < CHANNELS; c++) {
                for (int tap = 0; tap < TAPS; tap++) {
                    sum += at(w, (filter * CHANNELS + c) * TAPS + tap) * read(x, c, place, tap, 0);
                }
            }
            return sum;
        });
        if (!fault.isEmpty()) {
            return "columns: " + fault;
        }
        job.set(Field.FILTERS, 1).set(Field.CHANNELS, 1).set(Field.GROUPS, CHANNELS);
        Native.planes(set.address(), address(struct), address(scratch), 0, CHANNELS);
        fault = differs(y, CHANNELS, (channel, place) -> {
            double sum = at(bias, channel);
            for (int tap = 0; tap < TAPS; tap++) {
                sum += at(w, channel * TAPS + tap) * read(x, channel, place, tap, 0);
            }
            return sum;
        });
        if (!fault.isEmpty()) {
            return "planes: " + fault;
        }
        job.set(Field.MODE, Mode.MAX.ordinal());
        Native.planes(set.address(), address(struct), address(scratch), 0, CHANNELS);
        fault = differs(y, CHANNELS, (channel, place) -> {
            double most = Double.NEGATIVE_INFINITY;
            for (int tap = 0; tap < TAPS; tap++) {
                most = Math.max(most, read(x, channel, place, tap, Double.NEGATIVE_INFINITY));
            }
            return most;
        });
        return fault.isEmpty() ? spread(set, job, address(struct)) : "maxima: " + fault;
    }

    /** The other way round: from the places of the results to what their windows read. */
    private static String spread(KernelSet set, WindowJob job, long struct) {
        ByteBuffer given = pattern(CHANNELS * TAPS * PLACES, 37);
        ByteBuffer y = floats(CHANNELS * HEIGHT * WIDTH);
        job.set(Field.HEIGHT, ROWS)
                .set(Field.WIDTH, COLUMNS)
                .set(Field.OUT_HEIGHT, HEIGHT)
                .set(Field.OUT_WIDTH, WIDTH);
        Native.spread(set.address(), struct, address(given), address(y), 0, 0, CHANNELS);
        double[] want = new double[CHANNELS * HEIGHT * WIDTH];
        for (int k = 0; k < CHANNELS * TAPS * PLACES; k++) {
            int row = row(k % PLACES, k / PLACES % TAPS);
            int column = column(k % PLACES, k / PLACES % TAPS);
            if (isInside(row, column)) {
                want[(k / PLACES / TAPS * HEIGHT + row) * WIDTH + column] += at(given, k);
            }
        }
        for (int k = 0; k < want.length; k++) {
            if (!(Math.abs(at(y, k) - want[k]) <= 1e-5)) {
                return "transposed: element " + k + " is " + at(y, k) + ", not " + want[k];
            }
        }
        return "";
    }

    /** What a result is before it is clipped. */
    private interface Expected {
        double of(int plane, int place);
    }

    private static String differs(ByteBuffer y, int planes, Expected expected) {
        for (int plane = 0; plane < planes; plane++) {
            for (int place = 0; place < PLACES; place++) {
                double want = Math.min(HIGH, Math.max(LOW, expected.of(plane, place)));
                float got = y.getFloat((plane * PLACES + place) * Float.BYTES);
                if (!(Math.abs(got - want) <= 1e-5)) {
                    return "plane " + plane + ", place " + place + " is " + got + ", not " + want;
                }
            }
        }
        return "";
    }

    private static double read(ByteBuffer x, int channel, int place, int tap, double outside) {
        int row = row(place, tap);
        int column = column(place, tap);
        return isInside(row, column) ? at(x, (channel * HEIGHT + row) * WIDTH + column) : outside;
    }

    private static int row(int place, int tap) {
        return place / COLUMNS * STRIDE + tap / KERNEL - 1;
    }

    private static int column(int place, int tap) {
        return place % COLUMNS * STRIDE + tap % KERNEL - 1;
    }

    private static boolean isInside(int row, int column) {
        return row >= 0 && row < HEIGHT && column >= 0 && column < WIDTH;
    }
}
