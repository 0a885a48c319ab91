package io.kindling.engine.cpu.simd;

import io.kindling.engine.cpu.KernelPool;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.provider.DeviceBuffer;
import io.kindling.engine.provider.HostBuffer;
import io.kindling.engine.provider.KernelContext;
import io.kindling.engine.provider.KernelRequest;
import io.kindling.engine.provider.Tensor;

/** Lays out matrices of bytes as products take them; see {@code integer.h}. */
record IntegerOperands(KernelSet set, KernelPool pool) {
    /** Below so many bytes a job is done by its caller. */
    private static final long SMALL_JOB = 1 << 15;

    /** Address of a constant matrix B, packed once for the model; 0 where it is none. */
    long packedOnce(KernelRequest request, int input, boolean transposed) {
        Tensor b = request.constant(input).orElse(null);
        if (b == null || b.rank() != 2 || b.elementCount() == 0 || !NativeQuantize.isBytes(b.type())) {
            return 0;
        }
        String key = request.node().inputs().get(input) + "@" + Long.toHexString(NativeMemory.addressOf(b))
                + "/panels of bytes" + (transposed ? " transposed" : "");
        return NativeMemory.addressOf(request.weights().prepacked(key, () -> packed(b, transposed)));
    }

    private DeviceBuffer packed(Tensor b, boolean transposed) {
        long k = b.dim(transposed ? 1 : 0);
        long n = b.dim(transposed ? 0 : 1);
        HostBuffer panels = new NativeMemory().allocate(IntegerJob.packedBytes(k, n));
        pack(b, GemmShape.Matrix.of(b.dim(1), transposed), k, n, NativeMemory.addressOf(panels));
        return panels;
    }

    /** Address of all matrices {@code [k, n]} of B, packed into scratch; {@link IntegerJob#packedBytes} from one to the next. */
    long packed(KernelContext context, int slot, Tensor b, GemmShape shape) {
        long matrices = b.elementCount() / (shape.k() * shape.n());
        long size = Math.multiplyExact(IntegerJob.packedBytes(shape.k(), shape.n()), matrices);
        long to = NativeMemory.addressOf(context.scratch(slot, size));
        pack(b, shape.b(), shape.k(), shape.n(), to);
        return to;
    }

    private void pack(Tensor b, GemmShape.Matrix matrix, long k, long n, long to) {
        long from = NativeMemory.addressOf(b);
        int panels = Math.toIntExact(GemmJob.panels(n));
        long size = IntegerJob.packedBytes(k, n);
        boolean turned = b.type() == DataType.INT8;
        for (long stack = 0; stack < b.elementCount() / (k * n); stack++) {
            long at = from + stack * k * n;
            long target = to + stack * size;
            Ranges.run(
                    k * n < SMALL_JOB ? null : pool,
                    panels,
                    1,
                    (first, end) -> Native.integerPack(
                            set.address(), at, matrix.row(), matrix.column(), turned, k, n, target, first, end));
        }
    }

    /**
     * Address of rows of A, laid out in scratch.
     *
     * @param a address of bytes
     * @param count of rows of all matrices, one after the other
     */
    long rows(KernelContext context, int slot, long a, DataType type, GemmShape.Matrix matrix, long k, long count) {
        long to = NativeMemory.addressOf(context.scratch(slot, IntegerJob.rowsBytes(k, count)));
        boolean turned = type == DataType.UINT8;
        Ranges.run(
                k * count < SMALL_JOB ? null : pool,
                Math.toIntExact(count),
                1,
                (first, end) ->
                        Native.integerRows(set.address(), a, matrix.row(), matrix.column(), turned, k, to, first, end));
        return to;
    }
}
