package io.kindling.engine.cpu;

import io.kindling.engine.ir.Node;
import io.kindling.engine.provider.KernelContext;
import io.kindling.engine.provider.Tensor;

/**
 * One projection of all experts, {@code [experts, outputs, inputs]}, plain or packed: rows of {@code bits}-wide codes, lowest bits first,
 * with a scale and a zero point for each row or each block of inputs.
 */
final class ExpertWeights {
    final int outputs;
    final int inputs;
    private final Tensor weights;
    private final Tensor scales;
    private final Tensor zeros;
    private final Tensor bias;
    private final int bits;
    private final int block;
    private final int blocks;

    /** @param bits 0 for weights that are not quantised */
    private ExpertWeights(Tensor weights, Tensor scales, Tensor zeros, Tensor bias, int bits, int block) {
        this.weights = weights;
        this.scales = scales;
        this.zeros = zeros;
        this.bias = bias;
        this.bits = bits;
        outputs = (int) weights.dim(1);
        inputs = bits == 0 ? (int) weights.dim(2) : (int) weights.dim(2) * 8 / bits;
        this.block = block > 0 ? block : inputs;
        blocks = (inputs + this.block - 1) / this.block;
    }

    /** Weights at input {@code index}, a bias that may be absent behind them. */
    static ExpertWeights plain(KernelContext context, int index) {
        return new ExpertWeights(context.input(index), null, null, optional(context, index + 1), 0, 0);
    }

    /** Codes at input {@code index}, scales and a bias behind them, zero points at {@code zeroIndex} where they are not half the range. */
    static ExpertWeights quantised(KernelContext context, Node node, int index, int zeroIndex, int bits) {
        if (!context.hasInput(index + 1)) {
            throw Unsupported.of(node, "integer weights need scales");
        }
        return new ExpertWeights(
                context.input(index),
                context.input(index + 1),
                optional(context, zeroIndex),
                optional(context, index + 2),
                bits,
                (int) node.intAttribute("block_size", 0));
    }

    private static Tensor optional(KernelContext context, int index) {
        return context.hasInput(index) ? context.input(index) : null;
    }

    int experts() {
        return (int) weights.dim(0);
    }

    float bias(int expert, int output) {
        return bias == null ? 0 : TensorIo.getFloat(bias, expert * outputs + output);
    }

    TiledProduct.Source of(int expert) {
        return (start, step, column, width, tile) -> {
            for (int j = 0; j < width; j++) {
                int row = expert * outputs + column + j;
                for (int i = 0; i < step; i++) {
                    tile[i][j] = bits == 0
                            ? TensorIo.getFloat(weights, row * inputs + start + i)
                            : quantised(expert, row, column + j, start + i);
                }
            }
        };
    }

    private float quantised(int expert, int row, int output, int input) {
        int at = input / block;
        int code = code(weights, row * (int) weights.dim(2), input);
        int zero = 1 << bits - 1;
        if (zeros != null) {
            // Zero points of whole rows are packed along the outputs, those of blocks along the blocks.
            zero = zeros.rank() == 2
                    ? code(zeros, expert * (int) zeros.dim(1), output)
                    : code(zeros, row * (int) zeros.dim(2), at);
        }
        return (code - zero) * TensorIo.getFloat(scales, row * blocks + at);
    }

    /** Code {@code index} of the bit stream that begins at byte {@code start}; a 3-bit one may span two bytes. */
    private int code(Tensor packed, int start, int index) {
        int bit = index * bits;
        int octet = start + bit / 8;
        int word = packed.bytes().get(octet) & 0xff;
        if (bit % 8 + bits > 8) {
            word |= (packed.bytes().get(octet + 1) & 0xff) << 8;
        }
        return word >> bit % 8 & (1 << bits) - 1;
    }
}
