package io.kindling.engine.cpu;

import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Node;
import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.Tensor;
import java.util.Arrays;

/** Operators of decoding loops: {@code NGramRepeatBlock} and {@code BifurcationDetector}. */
final class DecodingKernels {
    private DecodingKernels() {}

    static void register(CpuKernels.Registrar registrar) {
        registrar.register("com.microsoft", "NGramRepeatBlock", 1, request -> blockRepeats(request.node()));
        registrar.register("com.microsoft", "BifurcationDetector", 1, request -> bifurcation(request.node()));
    }

    /** Scores {@code [batch, vocabulary]} with −∞ for each token that would repeat an n-gram of its row. */
    private static Kernel blockRepeats(Node node) {
        int size = (int) node.intAttribute("ngram_size", 0);
        if (size <= 0) {
            throw Unsupported.of(node, "ngram_size must be positive, not " + size);
        }
        return context -> {
            Tensor ids = context.input(0);
            Tensor scores = context.input(1);
            Tensor y = context.output(0, scores.type(), scores.shape());
            TensorIo.copy(scores, 0, y, 0, TensorIo.count(scores));
            int length = (int) ids.dim(1);
            int vocabulary = (int) scores.dim(1);
            long[] row = new long[length];
            for (int b = 0; b < ids.dim(0); b++) {
                TensorIo.load(ids, b * length, row, 0, length);
                for (int start = 0; start + size <= length; start++) {
                    if (Arrays.equals(row, start, start + size - 1, row, length - size + 1, length)) {
                        long token = row[start + size - 1];
                        if (token < 0 || token >= vocabulary) {
                            throw Shapes.invalid("token " + token + " is outside the vocabulary of " + vocabulary);
                        }
                        TensorIo.putDouble(y, b * vocabulary + (int) token, Double.NEGATIVE_INFINITY);
                    }
                }
            }
        };
    }

    /**
     * Appends predicted tokens, as far as they agree with the source and one more, to the current ones. The second output is where the
     * source goes on behind the shortest n-gram of the result's end that it holds once, or −1 without one.
     */
    private static Kernel bifurcation(Node node) {
        int min = (int) node.intAttribute("min_ngram_size", 1);
        int max = (int) node.intAttribute("max_ngram_size", 3);
        return context -> {
            long[] source = TensorIo.longs(context.input(0));
            long[] current = TensorIo.longs(context.input(1));
            long[] tokens = current;
            if (context.hasInput(3)) {
                long[] predicted = TensorIo.longs(context.input(3));
                int from = (int) TensorIo.getLong(context.input(2), 0);
                int agreed = 0;
                while (agreed < predicted.length
                        && from + agreed < source.length
                        && predicted[agreed] == source[from + agreed]) {
                    agreed++;
                }
                int added = Math.min(agreed + 1, predicted.length);
                tokens = Arrays.copyOf(current, current.length + added);
                System.arraycopy(predicted, 0, tokens, current.length, added);
            }
            Tensor y = context.output(0, DataType.INT64, tokens.length);
            TensorIo.store(tokens, 0, y, 0, tokens.length);
            context.output(1, DataType.INT64, 1).longs().put(0, suffixMatch(source, tokens, min, max));
        };
    }

    private static long suffixMatch(long[] source, long[] tokens, int min, int max) {
        for (int size = min; size <= max && size <= tokens.length; size++) {
            int matches = 0;
            long behind = -1;
            for (int start = 0; start + size <= source.length; start++) {
                if (Arrays.equals(source, start, start + size, tokens, tokens.length - size, tokens.length)) {
                    matches++;
                    behind = start + size;
                }
            }
            if (matches <= 1) {
                return behind;
            }
        }
        return -1;
    }
}
