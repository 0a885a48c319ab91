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

    /** Whether a tensor, which may be absent, has one element for all, or one for each of {@code size}. */
    static boolean runs(Tensor tensor, DataType type, long size) {
        return tensor == null || tensor.type() == type && (tensor.elementCount() == 1 || tensor.elementCount() == size);
    }

    /** Address of a constant matrix B, packed once for the model; 0 where it is none. */
    long packedOnce(KernelRequest request, int input, boolean transposed) {
        Tensor b = request.constant(input).orElse(null);
        if (b == null || b.rank() != 2 || b.elementCount() == 0 || !NativeQuantize.isBytes(b.type())) {
            return 0;
        }
        String key = key(request, input, b) + "/panels of bytes" + (transposed ? " transposed" : "");
        return NativeMemory.addressOf(request.weights().prepacked(key, () -> packed(b, transposed)));
    }

    /** Address of constant filters {@code [filters, …]}, laid out as rows of A once for the model; 0 where they are not constant. */
    long rowsOnce(KernelRequest request, int input) {
        Tensor a = request.constant(input).orElse(null);
        if (a == null || a.elementCount() == 0 || !NativeQuantize.isBytes(a.type())) {
            return 0;
        }
        String key = key(request, input, a) + "/rows of bytes";
        return NativeMemory.addressOf(request.weights().prepacked(key, () -> {
            long k = a.elementCount() / a.dim(0);
            HostBuffer rows = new NativeMemory().allocate(IntegerJob.rowsBytes(k, a.dim(0)));
            long to = NativeMemory.addressOf(rows);
            layRows(NativeMemory.addressOf(a), a.type(), GemmShape.Matrix.of(k, false), k, a.dim(0), to);
            return rows;
        }));
    }

    private static String key(KernelRequest request, int input, Tensor tensor) {
        return request.node().inputs().get(input) + "@" + Long.toHexString(NativeMemory.addressOf(tensor));
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
        layRows(a, type, matrix, k, count, to);
        return to;
    }

    private void layRows(long a, DataType type, GemmShape.Matrix matrix, long k, long count, long to) {
        boolean turned = type == DataType.UINT8;
        Ranges.run(
                k * count < SMALL_JOB ? null : pool,
                Math.toIntExact(count),
                1,
                (first, end) ->
                        Native.integerRows(set.address(), a, matrix.row(), matrix.column(), turned, k, to, first, end));
    }
}
