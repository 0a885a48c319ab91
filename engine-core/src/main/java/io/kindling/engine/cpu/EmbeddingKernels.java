package io.kindling.engine.cpu;

import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Node;
import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.KernelContext;
import io.kindling.engine.provider.Tensor;

/** {@code com.microsoft::EmbedLayerNormalization} and its form with 8-bit tables. */
final class EmbeddingKernels {
    private EmbeddingKernels() {}

    static void register(CpuKernels.Registrar registrar) {
        registrar.register("com.microsoft", "EmbedLayerNormalization", 1, request -> plain(request.node()));
        registrar.register("com.microsoft", "QEmbedLayerNormalization", 1, request -> quantised(request.node()));
    }

    /** Numbers of a tensor, dequantised where it is quantised. */
    private interface Numbers {
        double at(int index);
    }

    private static Kernel plain(Node node) {
        double epsilon = node.floatAttribute("epsilon", 1e-12f);
        return context -> {
            Tensor words = context.input(2);
            Numbers segments = context.hasInput(4) ? numbers(context.input(4)) : null;
            normalise(
                    context,
                    words.type(),
                    (int) words.dim(1),
                    new Numbers[] {numbers(words), numbers(context.input(3)), segments},
                    numbers(context.input(5)),
                    numbers(context.input(6)),
                    context.hasInput(8) ? context.input(8) : null,
                    epsilon);
        };
    }

    private static Kernel quantised(Node node) {
        double epsilon = node.floatAttribute("epsilon", 1e-12f);
        return context -> normalise(
                context,
                DataType.FLOAT,
                (int) context.input(2).dim(1),
                new Numbers[] {
                    dequantised(context, 2, 8),
                    dequantised(context, 3, 9),
                    context.hasInput(4) ? dequantised(context, 4, 10) : null
                },
                dequantised(context, 5, 11),
                dequantised(context, 6, 12),
                null,
                epsilon);
    }

    private static Numbers numbers(Tensor tensor) {
        return index -> TensorIo.getDouble(tensor, index);
    }

    private static Numbers dequantised(KernelContext context, int input, int scaleInput) {
        Tensor tensor = context.input(input);
        Quantization quantization = new Quantization(TensorIo.getFloat(context.input(scaleInput), 0), (int)
                TensorIo.getLong(context.input(scaleInput + 5), 0));
        return index -> quantization.get(tensor, index);
    }

    /**
     * @param tables of words, positions and segments; the last may be null
     * @param positions of the tokens; null where they are counted from 0
     */
    private static void normalise(
            KernelContext context,
            DataType type,
            int size,
            Numbers[] tables,
            Numbers gamma,
            Numbers beta,
            Tensor positions,
            double epsilon) {
        Tensor ids = context.input(0);
        int batch = (int) ids.dim(0);
        int length = (int) ids.dim(1);
        Tensor segments = tables[2] != null && context.hasInput(1) ? context.input(1) : null;
        Tensor y = context.output(0, type, batch, length, size);
        Tensor sums = context.hasOutput(2) ? context.output(2, type, batch, length, size) : null;
        double[] row = Work.mine().doubles(0, size);
        for (int token = 0; token < batch * length; token++) {
            long position = positions == null
                    ? token % length
                    : TensorIo.getLong(positions, positions.dim(0) == 1 ? token % length : token);
            int word = (int) TensorIo.getLong(ids, token) * size;
            int segment = segments == null ? 0 : (int) TensorIo.getLong(segments, token) * size;
            for (int k = 0; k < size; k++) {
                row[k] = tables[0].at(word + k) + tables[1].at((int) position * size + k);
                row[k] += segments == null ? 0 : tables[2].at(segment + k);
            }
            if (sums != null) {
                TensorIo.store(row, 0, sums, token * size, size);
            }
            NormalizationKernels.standardise(row, size, epsilon);
            for (int k = 0; k < size; k++) {
                row[k] = row[k] * gamma.at(k) + beta.at(k);
            }
            TensorIo.store(row, 0, y, token * size, size);
        }
        if (context.hasOutput(1)) {
            maskIndex(context, batch, length);
        }
    }

    /** Number of tokens of each row that the mask keeps; 0 without a mask. */
    private static void maskIndex(KernelContext context, int batch, int length) {
        Tensor counts = context.output(1, DataType.INT32, batch);
        for (int b = 0; b < batch; b++) {
            int count = 0;
            for (int s = 0; context.hasInput(7) && s < length; s++) {
                count += TensorIo.getLong(context.input(7), b * length + s) == 1 ? 1 : 0;
            }
            counts.ints().put(b, count);
        }
    }
}
