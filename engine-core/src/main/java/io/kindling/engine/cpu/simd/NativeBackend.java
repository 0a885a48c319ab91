package io.kindling.engine.cpu.simd;

import io.kindling.engine.cpu.CpuBackend;
import io.kindling.engine.cpu.HostMemory;
import io.kindling.engine.cpu.KernelPool;
import io.kindling.engine.cpu.simd.NativeElementwise.Op;
import io.kindling.engine.cpu.simd.NativeNorm.Form;
import io.kindling.engine.cpu.simd.WindowJob.Mode;
import io.kindling.engine.ir.PagedAttention;
import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.KernelFactory;
import java.util.List;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The C kernels behind the CPU provider. Takes the best instruction set the processor has, or the one that the system property
 * {@code kindling.native.level} names ({@code scalar} for the plainest). Each kernel is tested before it is used.
 */
public final class NativeBackend implements CpuBackend {
    private static final Logger LOG = LoggerFactory.getLogger(NativeBackend.class);
    private static final int SOFTMAX_OF_AN_AXIS = 13;

    private final String reason;
    private final KernelSet set;
    private final boolean matMulNBits;
    private final boolean attention;
    private final boolean rows;
    private final boolean elementwise;
    private final boolean gemm;
    private final boolean windows;
    private final boolean integers;

    public NativeBackend() {
        this(System.getProperty(KernelSet.LEVEL_PROPERTY, ""));
    }

    NativeBackend(String level) {
        String fault = NativeLibrary.unavailableReason();
        KernelSet chosen = null;
        if (fault.isEmpty()) {
            List<KernelSet> sets = KernelSet.all();
            chosen = KernelSet.choose(sets, level);
            if (chosen == null) {
                fault = KernelSet.LEVEL_PROPERTY + "=" + level + " is none of the sets this processor runs: "
                        + String.join(", ", sets.stream().map(KernelSet::level).toList());
            }
        }
        reason = fault;
        set = chosen;
        matMulNBits = accepted("MatMulNBits", SelfTest::matMulNBits);
        attention = accepted("attention", AttentionSelfTest::run);
        rows = accepted("normalisation and softmax", RowsSelfTest::run);
        elementwise = accepted("elementwise operators", ElementwiseSelfTest::elementwise);
        gemm = accepted("matrix products", GemmSelfTest::run);
        windows = accepted("convolution and pooling", WindowSelfTest::run);
        integers = accepted("products of bytes and quantisation", IntegerSelfTest::run);
        if (chosen != null) {
            LOG.info(
                    "Native kernels for {}: {}",
                    chosen.level(),
                    level.isEmpty() ? "the best set of this processor" : "named by " + KernelSet.LEVEL_PROPERTY);
        }
    }

    private boolean accepted(String kernel, Function<KernelSet, String> test) {
        if (set == null) {
            return false;
        }
        String fault = SelfTestData.keeping(() -> test.apply(set));
        if (!fault.isEmpty()) {
            LOG.warn(
                    "The native kernel of {} for {} fails its self-test and is not used: {}",
                    kernel,
                    set.level(),
                    fault);
        }
        return fault.isEmpty();
    }

    @Override
    public String unavailableReason() {
        return reason;
    }

    @Override
    public String description() {
        return "native kernels for " + set.level();
    }

    @Override
    public HostMemory memory() {
        return new NativeMemory();
    }

    @Override
    public KernelFactory accelerate(
            String domain, String opType, int sinceVersion, KernelFactory reference, KernelPool pool) {
        if (set == null) {
            return reference;
        }
        return switch (domain + "::" + opType) {
            case "com.microsoft::MatMulNBits" ->
                matMulNBits ? request -> NativeMatMulNBits.create(set, pool, reference, request) : reference;
            case PagedAttention.DOMAIN + "::" + PagedAttention.OP_TYPE ->
                attention ? request -> NativePagedAttention.create(set, pool, reference, request) : reference;
            case "::MatMul", "::Gemm", "com.microsoft::FusedMatMul" ->
                gemm ? request -> NativeGemm.create(set, pool, reference, request) : reference;
            case "com.microsoft::FusedGemm" ->
                gemm && elementwise ? request -> NativeGemm.create(set, pool, reference, request) : reference;
            case "com.microsoft::MultiHeadAttention" ->
                gemm && rows ? request -> NativeMultiHeadAttention.create(set, pool, reference, request) : reference;
            case "com.microsoft::GroupQueryAttention" ->
                attention ? request -> NativeGroupQueryAttention.create(set, pool, reference, request) : reference;
            case "::SimplifiedLayerNormalization",
                    "com.microsoft::SimplifiedLayerNormalization",
                    "::RMSNormalization" -> normalization(reference, pool, Form.RMS);
            case "com.microsoft::SkipSimplifiedLayerNormalization" -> normalization(reference, pool, Form.SKIP_RMS);
            case "::LayerNormalization", "com.microsoft::LayerNormalization" ->
                normalization(reference, pool, Form.LAYER);
            case "com.microsoft::SkipLayerNormalization" -> normalization(reference, pool, Form.SKIP_LAYER);
            case "::Softmax" ->
                rows
                        ? request -> new NativeSoftmax(
                                set, pool, reference.create(request), request.node(), sinceVersion < SOFTMAX_OF_AN_AXIS)
                        : reference;
            case "::Add" -> arithmetic(Op.ADD, reference, pool);
            case "::Sub" -> arithmetic(Op.SUB, reference, pool);
            case "::Mul" -> arithmetic(Op.MUL, reference, pool);
            case "::Div" -> arithmetic(Op.DIV, reference, pool);
            case "::Sigmoid" -> elementwise(Op.SIGMOID, reference, pool);
            case "::Relu" -> elementwise(Op.RELU, reference, pool);
            case "::Tanh" -> elementwise(Op.TANH, reference, pool);
            case "::Erf" -> elementwise(Op.ERF, reference, pool);
            case "::Gelu" -> gelu(reference, pool);
            case "com.microsoft::Gelu", "com.microsoft::BiasGelu" -> elementwise(Op.GELU, reference, pool);
            case "com.microsoft::FastGelu" -> elementwise(Op.GELU_TANH, reference, pool);
            case "com.microsoft::QuickGelu" -> quickGelu(reference, pool);
            case "::Clip", "::HardSigmoid", "::HardSwish", "::LeakyRelu" -> activation(reference, pool);
            case "::Conv", "com.microsoft::FusedConv" ->
                windows && gemm ? request -> NativeConv.create(set, pool, reference, request) : reference;
            case "::ConvTranspose" ->
                windows && gemm
                        ? request -> new NativeConvTranspose(set, pool, reference.create(request), request.node())
                        : reference;
            case "::MaxPool" -> pooling(Mode.MAX, reference, pool);
            case "::AveragePool" -> pooling(Mode.MEAN, reference, pool);
            case "::GlobalAveragePool", "::ReduceMean" ->
                windows ? request -> new NativeMeans(set, pool, reference.create(request), request.node()) : reference;
            case "::MatMulInteger" -> integers(NativeIntegerMatMul.Op.SUMS, reference, pool);
            case "::QLinearMatMul" -> integers(NativeIntegerMatMul.Op.RATIOS, reference, pool);
            case "com.microsoft::QGemm" -> integers(NativeIntegerMatMul.Op.GEMM, reference, pool);
            case "com.microsoft::MatMulIntegerToFloat" -> integers(NativeIntegerMatMul.Op.FLOATS, reference, pool);
            case "com.microsoft::DynamicQuantizeMatMul" -> integers(NativeIntegerMatMul.Op.DYNAMIC, reference, pool);
            case "::ConvInteger" -> integerConv(NativeIntegerConv.Op.SUMS, reference, pool);
            case "::QLinearConv" -> integerConv(NativeIntegerConv.Op.RATIOS, reference, pool);
            case "::QuantizeLinear", "com.microsoft::QuantizeLinear" ->
                quantization(NativeQuantize.Op.QUANTIZE, reference, pool);
            case "::DequantizeLinear", "com.microsoft::DequantizeLinear" ->
                quantization(NativeQuantize.Op.DEQUANTIZE, reference, pool);
            case "::DynamicQuantizeLinear" -> quantization(NativeQuantize.Op.DYNAMIC, reference, pool);
            default -> reference;
        };
    }

    private KernelFactory integers(NativeIntegerMatMul.Op op, KernelFactory reference, KernelPool pool) {
        return integers
                ? request -> new NativeIntegerMatMul(set, pool, op, reference.create(request), request)
                : reference;
    }

    private KernelFactory integerConv(NativeIntegerConv.Op op, KernelFactory reference, KernelPool pool) {
        return integers
                ? request -> new NativeIntegerConv(set, pool, op, reference.create(request), request)
                : reference;
    }

    private KernelFactory quantization(NativeQuantize.Op op, KernelFactory reference, KernelPool pool) {
        return integers
                ? request -> new NativeQuantize(set, pool, op, reference.create(request), request.node())
                : reference;
    }

    private KernelFactory normalization(KernelFactory reference, KernelPool pool, Form form) {
        return rows ? request -> new NativeNorm(set, pool, reference.create(request), request.node(), form) : reference;
    }

    private KernelFactory gelu(KernelFactory reference, KernelPool pool) {
        return request -> {
            boolean tanh = request.node().stringAttribute("approximate", "none").equals("tanh");
            return elementwise(tanh ? Op.GELU_TANH : Op.GELU, reference, pool).create(request);
        };
    }

    /** SiLU is the one of alpha 1. */
    private KernelFactory quickGelu(KernelFactory reference, KernelPool pool) {
        return request -> request.node().floatAttribute("alpha", 1.702f) == 1
                ? elementwise(Op.SILU, reference, pool).create(request)
                : activation(reference, pool).create(request);
    }

    private KernelFactory activation(KernelFactory reference, KernelPool pool) {
        return request -> Activation.of(request.node())
                .filter(activation -> windows)
                .<Kernel>map(activation -> new NativeActivation(set, pool, activation, reference.create(request)))
                .orElseGet(() -> reference.create(request));
    }

    private KernelFactory pooling(Mode mode, KernelFactory reference, KernelPool pool) {
        return windows
                ? request -> new NativePool(set, pool, reference.create(request), request.node(), mode)
                : reference;
    }

    /** Operators of two operands; before opset 7 an attribute could ask for another way of broadcasting. */
    private KernelFactory arithmetic(Op op, KernelFactory reference, KernelPool pool) {
        return request -> request.node().intAttribute("broadcast", 0) == 0
                ? elementwise(op, reference, pool).create(request)
                : reference.create(request);
    }

    private KernelFactory elementwise(Op op, KernelFactory reference, KernelPool pool) {
        return elementwise ? request -> new NativeElementwise(set, pool, op, reference.create(request)) : reference;
    }
}
