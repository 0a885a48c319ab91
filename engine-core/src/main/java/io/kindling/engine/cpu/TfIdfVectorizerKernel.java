package io.kindling.engine.cpu;

import io.kindling.engine.ir.Attribute;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Node;
import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.KernelContext;
import io.kindling.engine.provider.KernelRequest;
import io.kindling.engine.provider.Tensor;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * {@code TfIdfVectorizer}: counts n-grams of a pool, with up to {@code max_skip_count} tokens left out between their items. The
 * pool is a tree of tokens, so that all lengths are found in one walk.
 */
final class TfIdfVectorizerKernel implements Kernel {
    /** A prefix of n-grams; {@code column} is where the n-gram that ends here is counted, −1 where none does. */
    private static final class Prefix {
        private final Map<Object, Prefix> next = new HashMap<>();
        private int column = -1;
    }

    private final Prefix root = new Prefix();
    private final int shortest;
    private final int longest;
    private final int maxSkip;
    private final int columns;
    private final boolean counted;
    private final float[] weights;

    private TfIdfVectorizerKernel(Node node) {
        shortest = (int) node.intAttribute("min_gram_length", 1);
        longest = (int) node.intAttribute("max_gram_length", 1);
        maxSkip = (int) node.intAttribute("max_skip_count", 0);
        String mode = node.stringAttribute("mode", "TF");
        counted = !mode.equals("IDF");
        float[] given =
                !mode.equals("TF") && node.attribute("weights").orElse(null) instanceof Attribute.FloatsValue floats
                        ? floats.values()
                        : new float[0];
        long[] indexes = node.intsAttribute("ngram_indexes").orElse(new long[0]);
        columns = Math.toIntExact(Arrays.stream(indexes).max().orElse(-1) + 1);
        if (given.length > 0 && given.length != indexes.length) {
            throw Shapes.invalid(given.length + " weights for " + indexes.length + " n-grams");
        }
        // Weights are listed by n-gram, outputs by column.
        weights = new float[columns];
        Arrays.fill(weights, 1);
        for (int ngram = 0; ngram < given.length; ngram++) {
            weights[(int) indexes[ngram]] = given[ngram];
        }
        List<?> pool = node.attribute("pool_strings").orElse(null) instanceof Attribute.StringsValue strings
                ? strings.values().stream().map(Attribute.StringValue::text).toList()
                : Arrays.stream(node.intsAttribute("pool_int64s").orElse(new long[0]))
                        .boxed()
                        .toList();
        plant(pool, node.intsAttribute("ngram_counts").orElse(new long[0]), indexes);
    }

    static Kernel create(KernelRequest request) {
        return new TfIdfVectorizerKernel(request.node());
    }

    /** @param starts where the n-grams of length 1, 2, … begin in the pool */
    private void plant(List<?> pool, long[] starts, long[] indexes) {
        int ngram = 0;
        for (int size = 1; size <= starts.length; size++) {
            int end = size < starts.length ? (int) starts[size] : pool.size();
            for (int at = (int) starts[size - 1]; at + size <= end; at += size) {
                if (size >= shortest && size <= longest) {
                    Prefix prefix = root;
                    for (Object token : pool.subList(at, at + size)) {
                        prefix = prefix.next.computeIfAbsent(token, t -> new Prefix());
                    }
                    prefix.column = (int) indexes[ngram];
                }
                ngram++;
            }
        }
    }

    @Override
    public void execute(KernelContext context) {
        Tensor x = context.input(0);
        if (x.rank() > 2) {
            throw Shapes.invalid("X must be [C] or [N, C], not " + x);
        }
        int rows = x.rank() == 2 ? (int) x.dim(0) : 1;
        int length = x.rank() == 0 ? 1 : (int) x.dim(-1);
        Tensor y = x.rank() == 2
                ? context.output(0, DataType.FLOAT, rows, columns)
                : context.output(0, DataType.FLOAT, columns);
        int[] counts = new int[columns];
        for (int row = 0; row < rows; row++) {
            Arrays.fill(counts, 0);
            for (int step = 1; step <= maxSkip + 1; step++) {
                for (int start = 0; start < length; start++) {
                    count(x, row * length, start, length, step, counts);
                }
            }
            for (int k = 0; k < columns; k++) {
                y.floats().put(row * columns + k, weights[k] * (counted ? counts[k] : Math.min(1, counts[k])));
            }
        }
    }

    private void count(Tensor x, int base, int start, int length, int step, int[] counts) {
        Prefix prefix = root;
        for (int size = 1, at = start; size <= longest && at < length; size++, at += step) {
            Object token = x.type() == DataType.STRING ? x.strings()[base + at] : TensorIo.getLong(x, base + at);
            prefix = prefix.next.get(token);
            if (prefix == null) {
                return;
            }
            // Skips do not change 1-grams, which therefore count once.
            if (prefix.column >= 0 && (size > 1 || step == 1)) {
                counts[prefix.column]++;
            }
        }
    }
}
