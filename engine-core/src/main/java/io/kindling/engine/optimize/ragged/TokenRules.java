package io.kindling.engine.optimize.ragged;

import io.kindling.engine.ir.Node;
import io.kindling.engine.optimize.ragged.Fact.Fixed;
import io.kindling.engine.optimize.ragged.Fact.Indexed;
import io.kindling.engine.optimize.ragged.Fact.Mixed;
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
            case "MatMul" -> List.of(ProductRules.matMul(node, inputs));
            case "MatMulNBits" -> List.of(ProductRules.nBits(node, inputs));
            case "Gemm", "FusedGemm" -> List.of(ProductRules.gemm(node, inputs));
            case "Reshape" -> List.of(LayoutRules.reshape(node, tokens(node, inputs, 0), inputs.get(1)));
            case "Flatten" -> List.of(LayoutRules.flatten(node, tokens(node, inputs, 0)));
            case "TopK" -> topK(node, inputs);
            case "OneHot" -> List.of(oneHot(node, inputs));
            case "ScatterElements" -> List.of(LayoutRules.scatterElements(node, inputs));
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

    /** Inputs for the token rules, which may rely on constants only beside tokens. */
    static List<Fact> tokenWise(Node node, List<Fact> inputs) {
        List<Fact> result = new ArrayList<>();
        for (Fact input : inputs) {
            if (input instanceof Mixed) {
                throw Refusal.at(node, "reads values of several tokens");
            }
            if (input instanceof Indexed value) {
                boolean constant =
                        value.element().isConstant() && value.dims().stream().allMatch(Size::isConstant);
                result.add(
                        constant
                                ? Fixed.ofShape(value.dims().stream()
                                        .map(Size::constant)
                                        .toList())
                                : constantTokens(value)
                                        .orElseThrow(() -> Refusal.at(
                                                node, "combines tokens with positions or masks of all tokens")));
            } else {
                result.add(input);
            }
        }
        return result;
    }

    /** Tokens, or the same number for each of them. */
    static Optional<Tokens> constantTokens(Fact fact) {
        if (fact instanceof Tokens tokens) {
            return Optional.of(tokens);
        }
        return fact instanceof Indexed value && value.element().isConstant()
                ? overTokens(value.dims())
                : Optional.empty();
    }

    /** What is the same for each token, where the dimensions are those of tokens. */
    static Optional<Tokens> overTokens(List<Size> dims) {
        int axis = -1;
        for (int k = 0; k < dims.size(); k++) {
            if (dims.get(k).isFedMultiple() && axis < 0) {
                axis = k;
            } else if (!dims.get(k).isConstant()) {
                return Optional.empty();
            }
        }
        return axis < 0 ? Optional.empty() : Optional.of(new Tokens(dims, axis));
    }

    static Tokens tokens(Node node, List<Fact> inputs, int index) {
        if (inputs.get(index) instanceof Tokens tokens) {
            return tokens;
        }
        throw Refusal.at(node, "has an input " + index + " that is not made of tokens");
    }

    /** Every input from {@code first} on must be the same in all runs. */
    static void requireFixed(Node node, List<Fact> inputs, int first) {
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
        if (axes.length == 0) {
            throw Refusal.at(node, "reduces in a way that is not followed");
        }
        Tokens result = input;
        for (long attribute : axes) {
            int axis = LayoutRules.axis(attribute, input.rank());
            LayoutRules.requireOffTokens(node, input, axis);
            result = result.withDim(axis, Size.of(1));
        }
        return node.intAttribute("keepdims", 1) != 0 ? result : LayoutRules.squeeze(node, result, axes);
    }

    private static List<Fact> topK(Node node, List<Fact> inputs) {
        Tokens input = tokens(node, inputs, 0);
        int axis = LayoutRules.axis(node.intAttribute("axis", -1), input.rank());
        LayoutRules.requireOffTokens(node, input, axis);
        long[] count = LayoutRules.integers(node, inputs, 1)
                .filter(values -> values.length == 1)
                .orElseThrow(() -> Refusal.at(node, "names no constant number"));
        return repeated(node, input.withDim(axis, Size.of(count[0])));
    }

    private static Tokens oneHot(Node node, List<Fact> inputs) {
        requireKnown(node, inputs.get(2));
        Tokens input = tokens(node, inputs, 0);
        long[] depth = LayoutRules.integers(node, inputs, 1)
                .filter(values -> values.length == 1)
                .orElseThrow(() -> Refusal.at(node, "names no constant depth"));
        long axis = LayoutRules.axis(node.intAttribute("axis", -1), input.rank() + 1);
        Tokens result = LayoutRules.unsqueeze(node, input, new long[] {axis});
        return result.withDim((int) axis, Size.of(depth[0]));
    }

    private static void requireKnown(Node node, Fact fact) {
        if (!(fact instanceof Fixed)) {
            throw Refusal.at(node, "takes values that are not constant");
        }
    }

    private static long[] axes(Node node, List<Fact> inputs) {
        return node.intsAttribute("axes")
                .or(() -> LayoutRules.integers(node, inputs, 1))
                .orElseThrow(() -> Refusal.at(node, "names no axes"));
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
