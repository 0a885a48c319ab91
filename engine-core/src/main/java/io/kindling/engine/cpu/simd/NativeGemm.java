package io.kindling.engine.cpu.simd;

import io.kindling.engine.cpu.KernelPool;
import io.kindling.engine.cpu.simd.GemmJob.Addend;
import io.kindling.engine.cpu.simd.NativeElementwise.Op;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Node;
import io.kindling.engine.provider.DeviceBuffer;
import io.kindling.engine.provider.HostBuffer;
import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.KernelContext;
import io.kindling.engine.provider.KernelFactory;
import io.kindling.engine.provider.KernelRequest;
import io.kindling.engine.provider.Tensor;
import java.util.Map;
import java.util.Optional;

/**
 * {@code MatMul}, {@code Gemm}, {@code com.microsoft::FusedMatMul} and {@code FusedGemm} of float32; other types, and operands that
 * do not fit, are left to the reference. A constant matrix B is packed once for the model. Results have the same bits for any number
 * of rows and threads, and for packed and unpacked B. Where the session lets it, tiles multiply operands rounded to 16 bits.
 */
final class NativeGemm implements Kernel {
    /** Below so many multiplications a job is done by its caller: handing it out would cost more. */
    private static final long SMALL_JOB = 1 << 16;

    /** As bits of a float, the least magnitude that has no parts; see {@code gemm_amx.h}. */
    private static final int NO_PARTS = 0x7F7F8000;

    /** By the names that {@code FusedGemm} has for them. */
    private static final Map<String, Optional<Op>> ACTIVATIONS = Map.of(
            "", Optional.empty(),
            "Relu", Optional.of(Op.RELU),
            "Sigmoid", Optional.of(Op.SIGMOID),
            "Tanh", Optional.of(Op.TANH),
            "Gelu", Optional.of(Op.GELU),
            "FastGelu", Optional.of(Op.GELU_TANH));

    private final KernelSet set;
    private final KernelPool pool;
    private final Kernel reference;
    private final String variant;

    /** Whether tiles take operands in two parts instead of three. */
    private final boolean rounded;

    private final GemmJob.Layout layout;

    private final boolean transA;
    private final boolean transB;
    private final float alpha;
    private final float beta;
    private final Optional<Op> activation;

    /** Address of B in panels, or 0. */
    private final long packed;

    private NativeGemm(KernelSet set, KernelPool pool, Kernel reference, KernelRequest request) {
        this.set = set;
        this.pool = pool;
        this.reference = reference;
        Node node = request.node();
        transA = node.intAttribute("transA", 0) != 0;
        transB = node.intAttribute("transB", 0) != 0;
        alpha = node.floatAttribute("alpha", 1);
        beta = node.floatAttribute("beta", 1);
        activation = ACTIVATIONS.getOrDefault(activation(node), Optional.empty());
        rounded = set.tiles() && request.roundedFloats();
        Tensor b = request.constant(1).orElse(null);
        if (b != null && b.rank() == 2 && b.elementCount() > 0) {
            layout = rounded && fitsTiles(b) ? GemmJob.Layout.TILES : GemmJob.Layout.FLOATS;
            String key = node.inputs().get(1) + "@" + Long.toHexString(NativeMemory.addressOf(b)) + "/panels of "
                    + layout + (transB ? " transposed" : "");
            packed = NativeMemory.addressOf(request.weights().prepacked(key, () -> pack(b)));
        } else {
            layout = GemmJob.Layout.PLAIN;
            packed = 0;
        }
        variant = "native " + set.level() + (packed == 0 ? "" : " packed") + (rounded ? " rounded" : "");
    }

    /** A native kernel where the node's attributes and constants allow one, else the reference. */
    static Kernel create(KernelSet set, KernelPool pool, KernelFactory reference, KernelRequest request) {
        Kernel java = reference.create(request);
        Node node = request.node();
        boolean otherType = request.constant(0).filter(NativeGemm::isNotFloat).isPresent()
                || request.constant(1).filter(NativeGemm::isNotFloat).isPresent();
        boolean turnsBatch = node.intAttribute("transBatchA", 0) != 0 || node.intAttribute("transBatchB", 0) != 0;
        boolean otherActivation = !ACTIVATIONS.containsKey(activation(node));
        return otherType || turnsBatch || otherActivation ? java : new NativeGemm(set, pool, java, request);
    }

    private static String activation(Node node) {
        return node.stringAttribute("activation", "");
    }

    private static boolean isNotFloat(Tensor tensor) {
        return tensor.type() != DataType.FLOAT;
    }

    /** Whether every value is the sum of bfloat16 parts. */
    private boolean fitsTiles(Tensor b) {
        try (HostBuffer range = new NativeMemory().allocate(2 * Float.BYTES)) {
            Native.range(set.address(), NativeMemory.addressOf(b), NativeMemory.addressOf(range), 0, b.elementCount());
            float low = range.bytes().getFloat(0);
            float high = range.bytes().getFloat(Float.BYTES);
            return -low < Float.intBitsToFloat(NO_PARTS) && high < Float.intBitsToFloat(NO_PARTS);
        }
    }

    private DeviceBuffer pack(Tensor b) {
        long k = b.dim(transB ? 1 : 0);
        long n = b.dim(transB ? 0 : 1);
        GemmShape.Matrix matrix = GemmShape.Matrix.of(b.dim(1), transB);
        NativeMemory memory = new NativeMemory();
        DeviceBuffer panels = memory.allocate(GemmJob.packedBytes(layout, k, n));
        long from = NativeMemory.addressOf(b);
        long to = NativeMemory.addressOf(panels);
        try (HostBuffer struct = memory.allocate(GemmJob.BYTE_SIZE)) {
            GemmJob.write(struct.bytes(), k, n, matrix, matrix, layout, Addend.NONE, 1);
            long job = struct.address();
            Ranges.run(
                    pool,
                    Math.toIntExact(GemmJob.panels(n)),
                    1,
                    (first, end) -> Native.gemmPack(set.address(), job, from, to, first, end));
        }
        return panels;
    }

    @Override
    public String variant() {
        return variant;
    }

    @Override
    public void execute(KernelContext context) {
        Tensor a = context.input(0);
        Tensor b = context.input(1);
        GemmShape shape = isNotFloat(a) || isNotFloat(b) ? null : GemmShape.of(a.shape(), transA, b.shape(), transB);
        Addend addend = shape == null ? null : addend(context, shape);
        if (addend == null) {
            reference.execute(context);
            return;
        }
        Tensor c = context.output(0, DataType.FLOAT, shape.output());
        if (c.elementCount() == 0) {
            return;
        }
        HostBuffer scratch = (HostBuffer) context.scratch(0, GemmJob.BYTE_SIZE);
        GemmJob.write(
                scratch.bytes(), shape.k(), shape.n(), shape.a(), shape.b(), layout, addend, alpha, shape.n(), rounded);
        multiply(
                shape,
                NativeMemory.addressOf(scratch),
                NativeMemory.addressOf(a),
                packed == 0 ? NativeMemory.addressOf(b) : packed,
                NativeMemory.addressOf(c));
    }

    /** Null where the reference must add. */
    private Addend addend(KernelContext context, GemmShape shape) {
        if (beta == 0 || context.inputCount() < 3 || !context.hasInput(2)) {
            return Addend.NONE;
        }
        Tensor d = context.input(2);
        return isNotFloat(d) ? null : Addend.of(NativeMemory.addressOf(d), d.shape(), shape.m(), shape.n(), beta);
    }

    private void multiply(GemmShape shape, long job, long a, long b, long c) {
        long m = shape.m();
        long n = shape.n();
        long stacks = shape.count();
        boolean small = pool.threads() == 1 || stacks * m * n * Math.max(shape.k(), 1) < SMALL_JOB;
        GemmParts parts = GemmParts.of(m, n, small ? 1 : pool.threads(), stacks, set.tiles());
        parts.run(small ? null : pool, stacks, m, n, (stack, row, endRow, panel, endPanel) -> {
            long product = c + stack * m * n * Float.BYTES;
            Native.gemm(
                    set.address(),
                    job,
                    a + shape.startA(stack) * Float.BYTES,
                    b + shape.startB(stack) * Float.BYTES,
                    product,
                    row,
                    endRow,
                    panel,
                    endPanel);
            activate(product, n, row, endRow, panel * GemmJob.PANEL, Math.min(n, endPanel * GemmJob.PANEL));
        });
    }

    /** Applies the activation to a block of the product, as long as it is in the cache. */
    private void activate(long product, long width, long row, long endRow, long column, long endColumn) {
        activation.ifPresent(op -> {
            for (long r = row; r < endRow; r++) {
                long from = product + (r * width + column) * Float.BYTES;
                int count = Math.toIntExact(endColumn - column);
                Native.elementwise(set.address(), op.ordinal(), from, 0, from, 0, count);
            }
        });
    }

    @Override
    public void close() {
        reference.close();
    }
}
