package io.kindling.engine.optimize.ragged;

import io.kindling.engine.ir.Node;
import io.kindling.engine.optimize.ragged.Fact.Fixed;
import io.kindling.engine.optimize.ragged.Fact.Tokens;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Rules that prove, operator by operator, that a token's result comes from that token alone. */
final class TokenRules {
    private static final String MICROSOFT = "com.microsoft";

    /** Element by element with broadcasting; further inputs must be constants or tokens as well. */
    private static final Set<String> ELEMENTWISE = Set.of(
            "Abs",
            "Add",
            "And",
            "BiasGelu",
            "BitwiseAnd",
            "BitwiseNot",
            "BitwiseOr",
            "BitwiseXor",
            "Cast",
            "Ceil",
            "Celu",
            "Clip",
            "Cos",
            "Div",
            "Elu",
            "Equal",
            "Erf",
            "Exp",
            "FastGelu",
            "Floor",
            "Gelu",
            "Greater",
            "GreaterOrEqual",
            "HardSigmoid",
            "HardSwish",
            "Identity",
            "IsInf",
            "IsNaN",
            "LeakyRelu",
            "Less",
            "LessOrEqual",
            "Log",
            "Max",
            "Min",
            "Mish",
            "Mod",
            "Mul",
            "Neg",
            "Not",
            "Or",
            "PRelu",
            "Pow",
            "QuickGelu",
            "Reciprocal",
            "Relu",
            "Round",
            "Selu",
            "Sigmoid",
            "Sign",
            "Silu",
            "Sin",
            "Softplus",
            "Softsign",
            "Sqrt",
            "Sub",
            "Swish",
            "Tanh",
            "ThresholdedRelu",
            "Where",
            "Xor");

    private static final Set<String> NORMS =
            Set.of("LayerNormalization", "SimplifiedLayerNormalization", "RMSNormalization", "LpNormalization");
    private static final Set<String> SKIP_NORMS = Set.of("SkipLayerNormalization", "SkipSimplifiedLayerNormalization");
    private static final Set<String> REDUCTIONS = Set.of(
            "ReduceL1",
            "ReduceL2",
            "ReduceLogSum",
            "ReduceLogSumExp",
            "ReduceMax",
            "ReduceMean",
            "ReduceMin",
            "ReduceProd",
            "ReduceSum",
            "ReduceSumSquare");
    private static final int SOFTMAX_PER_AXIS_SINCE = 13;

    private final long opset;

    TokenRules(long opset) {
        this.opset = opset;
    }

    /**
     * What the outputs are, given that at least one input is made of tokens.
     *
     * @param inputs null where an optional input is absent
     */
    List<Fact> apply(Node node, List<Fact> inputs) {
        String op = node.opType();
        if (!node.domain().isEmpty() && !node.domain().equals(MICROSOFT)) {
            throw Refusal.at(node, "is of a domain that is not known to leave tokens apart");
        }
        if (ELEMENTWISE.contains(op)) {
            return List.of(broadcast(node, inputs));
        }
        if (NORMS.contains(op)) {
            return repeated(node, norm(node, inputs, node.intAttribute("axis", -1)));
        }
        if (SKIP_NORMS.contains(op)) {
            broadcast(node, inputs.subList(0, 2));
            return repeated(node, norm(node, inputs, -1));
        }
        if (REDUCTIONS.contains(op)) {
            return List.of(reduce(node, inputs));
        }
        return switch (op) {
            case "Softmax", "LogSoftmax" -> List.of(softmax(node, inputs));
            case "MatMul" -> List.of(matMul(node, inputs));
            case "MatMulNBits" -> List.of(nBits(node, inputs));
            case "Gemm", "FusedGemm" -> List.of(gemm(node, inputs));
            case "Reshape" -> List.of(LayoutRules.reshape(node, tokens(node, inputs, 0), inputs.get(1)));
            case "Transpose" -> List.of(LayoutRules.transpose(node, tokens(node, inputs, 0)));
            case "Unsqueeze" -> List.of(LayoutRules.unsqueeze(node, tokens(node, inputs, 0), axes(node, inputs)));
            case "Squeeze" -> List.of(LayoutRules.squeeze(node, tokens(node, inputs, 0), axes(node, inputs)));
            case "Split" ->
                LayoutRules.split(
                        node,
                        tokens(node, inputs, 0),
                        node.intsAttribute("split").or(() -> LayoutRules.integers(node, inputs, 1)));
            case "Concat" -> List.of(LayoutRules.concat(node, inputs));
            case "Slice" -> List.of(LayoutRules.slice(node, inputs));
            case "Expand" -> List.of(LayoutRules.expand(node, tokens(node, inputs, 0), inputs.get(1)));
            case "Tile" -> List.of(LayoutRules.tile(node, tokens(node, inputs, 0), inputs));
            case "GatherElements" -> List.of(LayoutRules.gatherElements(node, inputs.get(0), inputs.get(1)));
            case "Gather" -> List.of(LayoutRules.gather(node, inputs.get(0), inputs.get(1)));
            case "GatherND" -> List.of(LayoutRules.gatherNd(node, inputs.get(0), inputs.get(1)));
            case "GatherBlockQuantized" -> List.of(LayoutRules.gatherQuantized(node, inputs.get(0), inputs.get(1)));
            case "RotaryEmbedding", "MRotaryEmbedding" -> List.of(rotary(node, inputs));
            case "LinearAttentionGate", "GatedAdd", "GatedRMSNorm", "ScaledSiLU" -> gate(node, inputs);
            default -> throw Refusal.at(node, "is not known to leave tokens apart");
        };
    }

    private static Tokens tokens(Node node, List<Fact> inputs, int index) {
        if (inputs.get(index) instanceof Tokens tokens) {
            return tokens;
        }
        throw Refusal.at(node, "has an input " + index + " that is not made of tokens");
    }

    /** Every input from {@code first} on must be the same in all runs. */
    private static void requireFixed(Node node, List<Fact> inputs, int first) {
        for (int k = first; k < inputs.size(); k++) {
            if (inputs.get(k) != null && !(inputs.get(k) instanceof Fixed)) {
                throw Refusal.at(node, "has an input " + k + " that is not constant");
            }
        }
    }

    private static List<Fact> repeated(Node node, Tokens result) {
        return Collections.nCopies(node.outputs().size(), result);
    }

    /** NumPy broadcasting in which the token axes of all inputs meet. */
    private static Tokens broadcast(Node node, List<Fact> inputs) {
        int rank = 0;
        Tokens first = null;
        for (Fact input : inputs) {
            if (input == null) {
                continue;
            }
            List<Size> dims = SizeRules.dims(input)
                    .orElseThrow(() -> Refusal.at(node, "combines tokens with a value of unknown shape"));
            rank = Math.max(rank, dims.size());
            if (first == null && input instanceof Tokens tokens) {
                first = tokens;
            }
        }
        int tokenFromRight = first.rank() - first.axis();
        List<Size> result = new ArrayList<>(Collections.nCopies(rank, Size.of(1)));
        for (Fact input : inputs) {
            if (input == null) {
                continue;
            }
            if (input instanceof Tokens tokens && tokens.rank() - tokens.axis() != tokenFromRight) {
                throw Refusal.at(node, "combines tokens along different axes");
            }
            List<Size> dims = SizeRules.dims(input).orElseThrow();
            for (int k = 0; k < dims.size(); k++) {
                int at = rank - dims.size() + k;
                result.set(at, joined(node, result.get(at), dims.get(k)));
            }
        }
        return new Tokens(result, rank - tokenFromRight);
    }

    private static Size joined(Node node, Size a, Size b) {
        if (a.equals(b) || b.is(1)) {
            return a;
        }
        if (a.is(1)) {
            return b;
        }
        throw Refusal.at(node, "combines sizes " + a + " and " + b);
    }

    private static Tokens norm(Node node, List<Fact> inputs, long attribute) {
        Tokens input = tokens(node, inputs, 0);
        int axis = LayoutRules.axis(attribute, input.rank());
        if (input.axis() >= axis) {
            throw Refusal.at(node, "normalises over tokens");
        }
        requireFixed(node, inputs, node.opType().startsWith("Skip") ? 2 : 1);
        return input;
    }

    private Tokens softmax(Node node, List<Fact> inputs) {
        Tokens input = tokens(node, inputs, 0);
        if (opset < SOFTMAX_PER_AXIS_SINCE) {
            throw Refusal.at(node, "flattens its input in opset " + opset);
        }
        LayoutRules.requireOffTokens(node, input, LayoutRules.axis(node.intAttribute("axis", -1), input.rank()));
        return input;
    }

    private static Tokens reduce(Node node, List<Fact> inputs) {
        Tokens input = tokens(node, inputs, 0);
        long[] axes = axes(node, inputs);
        if (node.intAttribute("keepdims", 1) != 1 || axes.length == 0) {
            throw Refusal.at(node, "reduces in a way that is not followed");
        }
        Tokens result = input;
        for (long attribute : axes) {
            int axis = LayoutRules.axis(attribute, input.rank());
            LayoutRules.requireOffTokens(node, input, axis);
            result = result.withDim(axis, Size.of(1));
        }
        return result;
    }

    private static long[] axes(Node node, List<Fact> inputs) {
        return node.intsAttribute("axes")
                .or(() -> LayoutRules.integers(node, inputs, 1))
                .orElseThrow(() -> Refusal.at(node, "names no axes"));
    }

    private static Tokens matMul(Node node, List<Fact> inputs) {
        if (inputs.get(0) instanceof Fixed rows && inputs.get(1) instanceof Tokens columns) {
            return columns(node, rows, columns);
        }
        Tokens input = tokens(node, inputs, 0);
        Optional<List<Long>> weight = inputs.get(1) instanceof Fixed fixed ? fixed.shape() : Optional.empty();
        if (weight.isEmpty() || weight.get().size() != 2) {
            throw Refusal.at(node, "multiplies tokens with something that is no constant matrix");
        }
        return product(node, input, weight.get().get(1));
    }

    /** A constant times columns that are tokens. */
    private static Tokens columns(Node node, Fixed rows, Tokens columns) {
        Optional<List<Size>> left = SizeRules.dims(rows).filter(dims -> dims.size() >= 2);
        int last = columns.rank() - 1;
        if (left.isEmpty() || columns.rank() < 2 || columns.axis() != last) {
            throw Refusal.at(node, "multiplies a constant with tokens that are no columns");
        }
        List<Size> dims = left.get();
        List<Size> result = new ArrayList<>(IndexRules.broadcast(
                        dims.subList(0, dims.size() - 2), columns.dims().subList(0, last - 1))
                .orElseThrow(() -> Refusal.at(node, "multiplies " + dims + " with " + columns.dims())));
        result.add(dims.get(dims.size() - 2));
        result.add(columns.dims().get(last));
        return new Tokens(result, result.size() - 1);
    }

    private static Tokens nBits(Node node, List<Fact> inputs) {
        requireFixed(node, inputs, 1);
        return product(node, tokens(node, inputs, 0), node.intAttribute("N", -1));
    }

    private static Tokens gemm(Node node, List<Fact> inputs) {
        Tokens input = tokens(node, inputs, 0);
        requireFixed(node, inputs, 1);
        Optional<List<Long>> weight = ((Fixed) inputs.get(1)).shape();
        boolean biasPerFeature = inputs.size() < 3
                || inputs.get(2) == null
                || ((Fixed) inputs.get(2))
                        .shape()
                        .filter(shape -> shape.size() < 2 || shape.get(0) == 1)
                        .isPresent();
        if (node.intAttribute("transA", 0) != 0 || weight.isEmpty() || !biasPerFeature) {
            throw Refusal.at(node, "is no plain product with a constant matrix");
        }
        return product(node, input, weight.get().get(node.intAttribute("transB", 0) != 0 ? 0 : 1));
    }

    private static Tokens product(Node node, Tokens input, long features) {
        int last = input.rank() - 1;
        LayoutRules.requireOffTokens(node, input, last);
        return input.withDim(last, Size.of(features));
    }

    /** Gates of hybrid decoders: tokens of one shape, features last, and constants of one token's length. */
    private static List<Fact> gate(Node node, List<Fact> inputs) {
        Tokens input = tokens(node, inputs, 0);
        LayoutRules.requireOffTokens(node, input, input.rank() - 1);
        for (Fact other : inputs) {
            boolean beside = other == null
                    || other instanceof Fixed
                    || other instanceof Tokens tokens
                            && tokens.withDim(tokens.rank() - 1, Size.of(1))
                                    .equals(input.withDim(input.rank() - 1, Size.of(1)));
            if (!beside) {
                throw Refusal.at(node, "combines tokens with something else");
            }
        }
        return repeated(node, input);
    }

    /** Rotation by tables: rows are picked by position ids, or come with the tokens. */
    private static Tokens rotary(Node node, List<Fact> inputs) {
        Tokens input = tokens(node, inputs, 0);
        boolean byPosition;
        if (node.domain().equals(MICROSOFT)) {
            byPosition =
                    inputs.get(1) instanceof Tokens && inputs.get(2) instanceof Fixed && inputs.get(3) instanceof Fixed;
        } else if (inputs.size() > 3 && inputs.get(3) != null) {
            byPosition =
                    inputs.get(3) instanceof Tokens && inputs.get(1) instanceof Fixed && inputs.get(2) instanceof Fixed;
        } else {
            byPosition = inputs.get(1) instanceof Tokens && inputs.get(2) instanceof Tokens;
        }
        boolean plainAxis = input.axis() == (input.rank() == 4 ? 2 : 1) && input.perToken() == 1;
        if (!byPosition || !plainAxis) {
            throw Refusal.at(node, "rotates by something other than each token's position");
        }
        return input;
    }
}
