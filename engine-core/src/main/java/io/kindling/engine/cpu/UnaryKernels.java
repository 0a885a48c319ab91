package io.kindling.engine.cpu;

import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Node;
import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.Tensor;
import java.util.function.DoubleUnaryOperator;
import java.util.function.Function;
import java.util.function.LongUnaryOperator;

/** Functions of one number, element by element. Float results are computed in double where the function is not exact in float. */
final class UnaryKernels {
    /** {@code x[k] = f(x[k])} for k below {@code count}. */
    private interface FloatLoop {
        void apply(float[] x, int count);
    }

    private UnaryKernels() {}

    static void register(CpuKernels.Registrar registrar) {
        numeric(registrar, "Abs", Math::abs, Math::abs);
        numeric(registrar, "Neg", x -> -x, x -> -x);
        numeric(registrar, "Sign", Math::signum, Long::signum);
        numeric(registrar, "Relu", x -> Math.max(x, 0), x -> Math.max(x, 0));
        numeric(registrar, "Ceil", Math::ceil, null);
        numeric(registrar, "Floor", Math::floor, null);
        numeric(registrar, "Round", Math::rint, null);
        numeric(registrar, "Sqrt", Math::sqrt, null);
        numeric(registrar, "Reciprocal", x -> 1 / x, null);
        numeric(registrar, "Exp", Math::exp, null);
        numeric(registrar, "Log", Math::log, null);
        numeric(registrar, "Sin", Math::sin, null);
        numeric(registrar, "Cos", Math::cos, null);
        numeric(registrar, "Tan", Math::tan, null);
        numeric(registrar, "Asin", Math::asin, null);
        numeric(registrar, "Acos", Math::acos, null);
        numeric(registrar, "Atan", Math::atan, null);
        numeric(registrar, "Sinh", Math::sinh, null);
        numeric(registrar, "Cosh", Math::cosh, null);
        numeric(registrar, "Tanh", Math::tanh, null);
        numeric(registrar, "Asinh", UnaryKernels::asinh, null);
        numeric(registrar, "Acosh", x -> Math.log(x + Math.sqrt(x - 1) * Math.sqrt(x + 1)), null);
        numeric(registrar, "Atanh", x -> 0.5 * (Math.log1p(x) - Math.log1p(-x)), null);
        numeric(registrar, "Erf", ErrorFunction::erf, x -> (long) (float) ErrorFunction.erf(x));
        numeric(registrar, "Softplus", UnaryKernels::softplus, null);
        numeric(registrar, "Softsign", x -> x / (1 + Math.abs(x)), null);
        numeric(registrar, "HardSwish", UnaryKernels::hardSwish, null);
        numeric(registrar, "Mish", x -> x * Math.tanh(Math.log1p(Math.exp(x))), null);
        registrar.register("", "Sigmoid", 1, request -> unary(UnaryKernels::sigmoids, UnaryKernels::sigmoid, null));
        withAttributes(registrar, "Elu", node -> {
            double alpha = node.floatAttribute("alpha", 1);
            return x -> x < 0 ? alpha * Math.expm1(x) : x;
        });
        withAttributes(registrar, "Celu", node -> {
            double alpha = node.floatAttribute("alpha", 1);
            return x -> Math.max(0, x) + Math.min(0, alpha * Math.expm1(x / alpha));
        });
        withAttributes(registrar, "Selu", node -> {
            double alpha = node.floatAttribute("alpha", 1.67326319217681884765625f);
            double gamma = node.floatAttribute("gamma", 1.05070102214813232421875f);
            return x -> x > 0 ? gamma * x : gamma * alpha * Math.expm1(x);
        });
        withAttributes(registrar, "LeakyRelu", node -> {
            double alpha = node.floatAttribute("alpha", 0.01f);
            return x -> x < 0 ? alpha * x : x;
        });
        withAttributes(registrar, "ThresholdedRelu", node -> {
            double alpha = node.floatAttribute("alpha", 1);
            return x -> x > alpha ? x : 0;
        });
        withAttributes(registrar, "HardSigmoid", node -> {
            double alpha = node.floatAttribute("alpha", 0.2f);
            double beta = node.floatAttribute("beta", 0.5f);
            return x -> Math.max(0, Math.min(1, alpha * x + beta));
        });
        withAttributes(registrar, "Shrink", node -> {
            double bias = node.floatAttribute("bias", 0);
            double lambda = node.floatAttribute("lambd", 0.5f);
            return x -> x < -lambda ? x + bias : x > lambda ? x - bias : 0;
        });
        withAttributes(registrar, "Swish", node -> {
            double alpha = node.floatAttribute("alpha", 1);
            return x -> x * sigmoid(alpha * x);
        });
        withAttributes(
                registrar,
                "Gelu",
                node -> node.stringAttribute("approximate", "none").equals("tanh")
                        ? UnaryKernels::tanhGelu
                        : UnaryKernels::gelu);
        registrar.register("com.microsoft", "Gelu", 1, request -> unary(null, UnaryKernels::gelu, null));
        registrar.register("com.microsoft", "QuickGelu", 1, request -> {
            double alpha = request.node().floatAttribute("alpha", 1.702f);
            return unary(null, x -> x * sigmoid(alpha * x), null);
        });
        registrar.register("", "Not", 1, request -> unary(null, null, x -> 1 - x));
        registrar.register("", "BitwiseNot", 18, request -> unary(null, null, x -> ~x));
        registrar.register("", "IsNaN", 9, request -> test(Double::isNaN));
        registrar.register("", "IsInf", 10, request -> {
            boolean positive = request.node().intAttribute("detect_positive", 1) != 0;
            boolean negative = request.node().intAttribute("detect_negative", 1) != 0;
            return test(x -> Double.isInfinite(x) && (x > 0 ? positive : negative));
        });
    }

    static double hardSwish(double x) {
        return x * Math.max(0, Math.min(1, x / 6 + 0.5));
    }

    private static void numeric(
            CpuKernels.Registrar registrar, String name, DoubleUnaryOperator doubles, LongUnaryOperator longs) {
        registrar.register("", name, 1, request -> unary(null, doubles, longs));
    }

    private static void withAttributes(
            CpuKernels.Registrar registrar, String name, Function<Node, DoubleUnaryOperator> function) {
        registrar.register("", name, 1, request -> {
            DoubleUnaryOperator doubles = function.apply(request.node());
            return unary(null, doubles, x -> (long) doubles.applyAsDouble(x));
        });
    }

    /** @param floats a faster loop for float, or null */
    private static Kernel unary(FloatLoop floats, DoubleUnaryOperator doubles, LongUnaryOperator longs) {
        return context -> {
            Tensor x = context.input(0);
            Tensor y = context.output(0, x.type(), x.shape());
            apply(floats, doubles, longs, x, y);
        };
    }

    private static void apply(
            FloatLoop floats, DoubleUnaryOperator doubles, LongUnaryOperator longs, Tensor x, Tensor y) {
        int total = TensorIo.count(x);
        if (Elementwise.inFloat(x.type()) && doubles != null) {
            float[] chunk = Work.mine().floats(0, Elementwise.CHUNK);
            for (int start = 0; start < total; start += Elementwise.CHUNK) {
                int count = Math.min(Elementwise.CHUNK, total - start);
                TensorIo.load(x, start, chunk, 0, count);
                if (floats != null) {
                    floats.apply(chunk, count);
                } else {
                    for (int k = 0; k < count; k++) {
                        chunk[k] = (float) doubles.applyAsDouble(chunk[k]);
                    }
                }
                TensorIo.store(chunk, 0, y, start, count);
            }
        } else if (x.type() == DataType.DOUBLE && doubles != null) {
            for (int k = 0; k < total; k++) {
                y.doubles().put(k, doubles.applyAsDouble(x.doubles().get(k)));
            }
        } else if (!x.type().isFloatingPoint() && longs != null) {
            for (int k = 0; k < total; k++) {
                TensorIo.putLong(y, k, longs.applyAsLong(TensorIo.getLong(x, k)));
            }
        } else {
            throw Shapes.invalid("the operator is not defined for " + x.type().onnxName());
        }
    }

    /** {@code x = f(x)}, in place, for floating-point x. */
    static void apply(DoubleUnaryOperator function, Tensor x) {
        apply(null, function, null, x, x);
    }

    private interface DoubleTest {
        boolean test(double x);
    }

    private static Kernel test(DoubleTest test) {
        return context -> {
            Tensor x = context.input(0);
            Tensor y = context.output(0, DataType.BOOL, x.shape());
            for (int k = 0; k < x.elementCount(); k++) {
                y.bytes().put(k, (byte) (test.test(TensorIo.getDouble(x, k)) ? 1 : 0));
            }
        };
    }

    private static void sigmoids(float[] x, int count) {
        for (int k = 0; k < count; k++) {
            x[k] = 1 / (1 + (float) Math.exp(-x[k]));
        }
    }

    static double sigmoid(double x) {
        return 1 / (1 + Math.exp(-x));
    }

    static double softplus(double x) {
        return Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x)));
    }

    static double gelu(double x) {
        return 0.5 * x * (1 + ErrorFunction.erf(x * Math.sqrt(0.5)));
    }

    static double tanhGelu(double x) {
        return 0.5 * x * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x * x * x)));
    }

    private static double asinh(double x) {
        double magnitude = Math.abs(x);
        double result = Math.log1p(magnitude + magnitude * magnitude / (1 + Math.sqrt(magnitude * magnitude + 1)));
        return Math.copySign(result, x);
    }
}
