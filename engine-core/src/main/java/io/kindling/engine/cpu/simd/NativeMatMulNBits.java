package io.kindling.engine.cpu.simd;

import io.kindling.engine.cpu.KernelPool;
import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Node;
import io.kindling.engine.provider.DeviceBuffer;
import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.KernelContext;
import io.kindling.engine.provider.KernelFactory;
import io.kindling.engine.provider.KernelRequest;
import io.kindling.engine.provider.Precision;
import io.kindling.engine.provider.Tensor;
import java.util.Optional;

/**
 * {@code com.microsoft::MatMulNBits} with constant weights of 4 or 8 bits and float32 activations; the rest is left to the
 * reference. Same arithmetic as the reference up to the rounding of single float operations.
 */
final class NativeMatMulNBits implements Kernel {
    /** Below so many multiplications a job is done by its caller: handing it out would cost more. */
    private static final long SMALL_JOB = 1 << 16;

    /** From so many rows on, quantising them is shared out too. */
    static final int MANY_ROWS = 16;

    private final long set;
    private final KernelPool pool;
    private final Kernel reference;
    private final String variant;
    private final boolean exact;
    private final int n;
    private final int k;
    private final NBitsFormat format;
    private final long weights;

    private NativeMatMulNBits(
            KernelSet set,
            KernelPool pool,
            Kernel reference,
            KernelRequest request,
            Weights source,
            NBitsFormat format) {
        this.set = set.address();
        this.pool = pool;
        this.reference = reference;
        this.format = format;
        n = source.n;
        k = source.k;
        exact = request.precision() == Precision.EXACT;
        variant = "native " + set.level() + (exact ? " float" : " int8 activations");
        String key = request.node().inputs().get(1) + "@" + Long.toHexString(NativeMemory.addressOf(source.codes)) + "/"
                + format;
        DeviceBuffer packed = request.weights().prepacked(key, () -> source.pack(format, pool));
        weights = NativeMemory.addressOf(packed);
    }

    /** A native kernel where the node's attributes and constants allow one, else the reference. */
    static Kernel create(KernelSet set, KernelPool pool, KernelFactory reference, KernelRequest request) {
        Kernel java = reference.create(request);
        return Weights.of(request)
                .<Kernel>map(source -> new NativeMatMulNBits(set, pool, java, request, source, source.format()))
                .orElse(java);
    }

    /** The constants of a node that the native kernel covers. */
    private record Weights(int n, int k, int bits, int blockSize, Tensor codes, Tensor scales, Tensor zeros) {
        static Optional<Weights> of(KernelRequest request) {
            Node node = request.node();
            int bits = (int) node.intAttribute("bits", 4);
            boolean groups = node.inputs().size() > 4 && !node.inputs().get(4).isEmpty();
            boolean hasZeros = node.inputs().size() > 3 && !node.inputs().get(3).isEmpty();
            Optional<Tensor> codes = request.constant(1);
            Optional<Tensor> scales = request.constant(2);
            Optional<Tensor> zeros = hasZeros ? request.constant(3) : Optional.empty();
            if ((bits != 4 && bits != 8) || groups || codes.isEmpty() || scales.isEmpty()) {
                return Optional.empty();
            }
            if (hasZeros
                    && (zeros.isEmpty()
                            || zeros.get().type() != DataType.UINT8
                                    && zeros.get().type() != DataType.FLOAT)) {
                return Optional.empty();
            }
            DataType scaleType = scales.get().type();
            if (codes.get().elementCount() == 0 || scaleType != DataType.FLOAT && scaleType != DataType.FLOAT16) {
                return Optional.empty();
            }
            Weights weights = new Weights(
                    (int) node.intAttribute("N", 0),
                    (int) node.intAttribute("K", 0),
                    bits,
                    (int) node.intAttribute("block_size", 0),
                    codes.get(),
                    scales.get(),
                    zeros.orElse(null));
            weights.checkSizes();
            return Optional.of(weights);
        }

        private long blocks() {
            return (k + blockSize - 1) / blockSize;
        }

        private void checkSizes() {
            checkSize("B", codes, n * blocks() * blockSize * bits / 8);
            checkSize("scales", scales, scales.type().byteSize(n * blocks()));
            if (zeros != null) {
                checkSize(
                        "zero_points",
                        zeros,
                        zeros.type() == DataType.FLOAT ? n * blocks() * Float.BYTES : n * ((blocks() * bits + 7) / 8));
            }
        }

        private void checkSize(String input, Tensor tensor, long needed) {
            if (tensor.byteSize() < needed) {
                throw new KindlingException(
                        ErrorCode.SHAPE_OR_TYPE,
                        "MatMulNBits: " + input + " " + tensor + " has " + tensor.byteSize() + " bytes; N = " + n
                                + ", K = " + k + ", " + bits + " bits in blocks of " + blockSize + " need " + needed);
            }
        }

        NBitsFormat format() {
            boolean half = scales.type() == DataType.FLOAT16
                    || Native.nbitsFitHalf(NativeMemory.addressOf(scales), n * blocks());
            NBitsFormat.Zeros kind = zeros == null
                    ? NBitsFormat.Zeros.MIDDLE
                    : zeros.type() == DataType.UINT8 ? NBitsFormat.Zeros.BYTES : NBitsFormat.Zeros.FLOATS;
            return new NBitsFormat(n, k, bits, Math.min(blockSize, NBitsFormat.STRETCH), half, kind);
        }

        DeviceBuffer pack(NBitsFormat format, KernelPool pool) {
            DeviceBuffer packed = new NativeMemory().allocate(format.packedBytes());
            long target = NativeMemory.addressOf(packed);
            int half = scales.type() == DataType.FLOAT16 ? 1 : 0;
            long zerosAddress = zeros == null ? 0 : NativeMemory.addressOf(zeros);
            long codesAddress = NativeMemory.addressOf(codes);
            long scalesAddress = NativeMemory.addressOf(scales);
            Ranges.run(
                    pool,
                    format.tiles(),
                    1,
                    (from, to) -> Native.nbitsPack(
                            format.address(),
                            codesAddress,
                            scalesAddress,
                            half,
                            zerosAddress,
                            blockSize,
                            target,
                            from,
                            to));
            return packed;
        }
    }

    @Override
    public String variant() {
        return variant;
    }

    @Override
    public void execute(KernelContext context) {
        Tensor a = context.input(0);
        Tensor bias = context.hasInput(5) ? context.input(5) : null;
        if (a.type() != DataType.FLOAT
                || a.rank() == 0
                || a.dim(-1) != k
                || bias != null && (bias.type() != DataType.FLOAT || bias.elementCount() != n)) {
            reference.execute(context);
            return;
        }
        long[] shape = a.shape().clone();
        shape[shape.length - 1] = n;
        Tensor y = context.output(0, DataType.FLOAT, shape);
        int rows = Math.toIntExact(a.elementCount() / k);
        if (rows == 0) {
            return;
        }
        long biasAddress = bias == null ? 0 : NativeMemory.addressOf(bias);
        long to = NativeMemory.addressOf(y);
        long values = NativeMemory.addressOf(a);
        KernelPool sharing = (long) rows * n * k < SMALL_JOB ? null : pool;
        if (exact) {
            Ranges.run(
                    sharing,
                    format.tiles(),
                    4,
                    (first, end) -> Native.nbitsFloats(
                            set, format.address(), weights, values, biasAddress, to, rows, first, end));
            return;
        }
        long padded = (rows + NBitsFormat.GROUP - 1L) / NBitsFormat.GROUP * NBitsFormat.GROUP;
        long codeBytes = padded * format.stretches() * NBitsFormat.STRETCH;
        long scaleBytes = padded * format.stretches() * Float.BYTES;
        long sumBytes = codeBytes / format.step() * Integer.BYTES;
        DeviceBuffer scratch = context.scratch(0, codeBytes + scaleBytes + sumBytes);
        long codes = NativeMemory.addressOf(scratch);
        long scales = codes + codeBytes;
        long sums = scales + scaleBytes;
        Ranges.run(
                rows < MANY_ROWS ? null : sharing,
                rows,
                1,
                (first, end) -> Native.nbitsQuantise(set, values, k, format.step(), codes, scales, sums, first, end));
        Ranges.run(
                sharing,
                format.tiles(),
                1,
                (first, end) -> Native.nbitsBytes(
                        set, format.address(), weights, codes, scales, sums, biasAddress, to, rows, first, end));
    }

    @Override
    public void close() {
        reference.close();
    }
}
