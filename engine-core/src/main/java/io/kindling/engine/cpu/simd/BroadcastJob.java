package io.kindling.engine.cpu.simd;

import io.kindling.engine.cpu.BroadcastLoop;
import java.nio.ByteBuffer;

/** Writes {@code broadcast_job} of {@code elementwise.h}: how two operands meet. */
final class BroadcastJob {
    private static final int RANK = 8;
    private static final int HEAD = 4;

    static final int BYTE_SIZE = (HEAD + 3 * RANK) * Long.BYTES;

    private BroadcastJob() {}

    /** Whether the walk has few enough axes, and an innermost one that is worth a vector. */
    static boolean covers(BroadcastLoop walk) {
        return walk.rank() - 1 <= RANK && walk.size(0) > 1;
    }

    static void write(ByteBuffer job, BroadcastLoop walk) {
        job.putLong(0, walk.size(0));
        job.putLong(Long.BYTES, walk.stride(0, 0));
        job.putLong(2 * Long.BYTES, walk.stride(0, 1));
        job.putLong(3 * Long.BYTES, walk.rank() - 1);
        for (int axis = 1; axis < walk.rank(); axis++) {
            int at = (HEAD + axis - 1) * Long.BYTES;
            job.putLong(at, walk.size(axis));
            job.putLong(at + RANK * Long.BYTES, walk.stride(axis, 0));
            job.putLong(at + 2 * RANK * Long.BYTES, walk.stride(axis, 1));
        }
    }
}
