package io.kindling.engine.cpu;

import io.kindling.engine.ir.DataType;
import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.KernelContext;
import io.kindling.engine.provider.KernelRequest;
import io.kindling.engine.provider.Tensor;
import java.util.Arrays;

/**
 * {@code ai.onnx.ml} forests: {@code TreeEnsembleClassifier}, {@code TreeEnsembleRegressor} (since 1) and {@code TreeEnsemble} (since 5), on
 * {@code [rows, features]}. Votes are summed tree after tree in the type of the weights, so that probabilities which tie come out as in ONNX
 * Runtime; blocks of rows are computed in parallel.
 */
final class TreeEnsembleKernel implements Kernel {
    /** Rows that go through one tree before the next tree: their features and scores stay in cache. */
    private static final int BLOCK = 64;

    private enum Aggregate {
        SUM,
        AVERAGE,
        MIN,
        MAX
    }

    private final KernelPool pool;
    private final DecisionTrees trees;
    private final int targets;
    private final Aggregate aggregate;
    private final PostTransform transform;
    private final double[] base;

    /** Null for regression. */
    private final ClassLabels labels;

    /** Classification of two classes by votes for one of them. */
    private final boolean oneVote;

    private final boolean noNegativeVotes;
    private final boolean inputType;
    private final boolean inDouble;

    private TreeEnsembleKernel(
            KernelPool pool,
            MlAttributes attributes,
            DecisionTrees trees,
            int targets,
            Aggregate aggregate,
            PostTransform transform,
            ClassLabels labels,
            boolean inputType) {
        this.pool = pool;
        this.trees = trees;
        this.targets = targets;
        this.aggregate = aggregate;
        this.transform = transform;
        this.labels = labels;
        this.inputType = inputType;
        base = attributes.numbers("base_values");
        inDouble = attributes.doubles("class_weights_as_tensor")
                || attributes.doubles("target_weights_as_tensor")
                || attributes.doubles("leaf_weights");
        oneVote = targets == 2 && Arrays.stream(trees.targets).distinct().count() == 1;
        noNegativeVotes = Arrays.stream(trees.weights).allMatch(weight -> weight >= 0);
    }

    static void register(CpuKernels.Registrar registrar, KernelPool pool) {
        registrar.register("ai.onnx.ml", "TreeEnsembleClassifier", 1, request -> classifier(request, pool));
        registrar.register("ai.onnx.ml", "TreeEnsembleRegressor", 1, request -> regressor(request, pool));
        registrar.register("ai.onnx.ml", "TreeEnsemble", 5, request -> ensemble(request, pool));
    }

    private static Kernel classifier(KernelRequest request, KernelPool pool) {
        MlAttributes attributes = new MlAttributes(request.node());
        ClassLabels labels = ClassLabels.of(attributes, "classlabels_int64s");
        DecisionTrees trees = new TreeReader(attributes).ensemble("class", labels.count());
        PostTransform transform = PostTransform.of(attributes);
        return new TreeEnsembleKernel(pool, attributes, trees, labels.count(), Aggregate.SUM, transform, labels, false);
    }

    private static Kernel regressor(KernelRequest request, KernelPool pool) {
        MlAttributes attributes = new MlAttributes(request.node());
        int targets = (int) request.node().intAttribute("n_targets", 1);
        String name = request.node().stringAttribute("aggregate_function", "SUM");
        Aggregate aggregate = Arrays.stream(Aggregate.values())
                .filter(a -> a.name().equals(name))
                .findFirst()
                .orElseThrow(() -> attributes.invalid("aggregate_function '" + name + "' is unknown"));
        DecisionTrees trees = new TreeReader(attributes).ensemble("target", targets);
        return new TreeEnsembleKernel(
                pool, attributes, trees, targets, aggregate, PostTransform.of(attributes), null, false);
    }

    private static Kernel ensemble(KernelRequest request, KernelPool pool) {
        MlAttributes attributes = new MlAttributes(request.node());
        int targets = (int) request.node().intAttribute("n_targets", 1);
        Aggregate[] aggregates = {Aggregate.AVERAGE, Aggregate.SUM, Aggregate.MIN, Aggregate.MAX};
        long aggregate = request.node().intAttribute("aggregate_function", 1);
        long transform = request.node().intAttribute("post_transform", 0);
        if (aggregate < 0 || aggregate >= aggregates.length) {
            throw attributes.invalid("aggregate_function " + aggregate + " is unknown");
        }
        if (transform < 0 || transform >= PostTransform.values().length) {
            throw attributes.invalid("post_transform " + transform + " is unknown");
        }
        DecisionTrees trees = new TreeReader(attributes).separate(targets);
        PostTransform post = PostTransform.values()[(int) transform];
        return new TreeEnsembleKernel(pool, attributes, trees, targets, aggregates[(int) aggregate], post, null, true);
    }

    @Override
    public void execute(KernelContext context) {
        Tensor x = context.input(0);
        int features = (int) x.dim(-1);
        int rows = x.rank() == 1 ? 1 : (int) x.dim(0);
        if (trees.lastFeature() >= features) {
            throw Shapes.invalid("the trees look at feature " + trees.lastFeature() + " and X is " + x);
        }
        int[] classes = labels == null ? null : new int[rows];
        DataType type = inputType ? x.type() : DataType.FLOAT;
        Tensor y = context.output(labels == null ? 0 : 1, type, rows, targets);
        pool.run((rows + BLOCK - 1) / BLOCK, part -> {
            int first = part * BLOCK;
            block(x, features, first, Math.min(BLOCK, rows - first), classes, y);
        });
        if (labels != null) {
            labels.write(context, classes);
        }
    }

    private void block(Tensor x, int features, int first, int count, int[] classes, Tensor y) {
        Work work = Work.mine();
        double[] rows = work.doubles(0, count * features);
        double[] scores = work.doubles(1, count * targets);
        double[] row = work.doubles(2, Math.max(2, targets));
        // Votes a row has had for a target: a target without any is not the same as one with a sum of 0.
        int[] votes = work.ints(0, count * targets);
        TensorIo.load(x, first * features, rows, 0, count * features);
        Arrays.fill(scores, 0, count * targets, 0);
        Arrays.fill(votes, 0, count * targets, 0);
        for (int root : trees.roots) {
            for (int r = 0; r < count; r++) {
                int leaf = trees.leaf(root, rows, r * features);
                for (int v = trees.leafStarts[leaf]; v < trees.leafStarts[leaf + 1]; v++) {
                    int at = r * targets + trees.targets[v];
                    scores[at] = fold(scores[at], trees.weights[v], votes[at]++ == 0);
                }
            }
        }
        for (int r = 0; r < count; r++) {
            System.arraycopy(scores, r * targets, row, 0, targets);
            if (labels == null) {
                regress(row);
            } else {
                classes[first + r] = classify(row, votes, r * targets);
            }
            TensorIo.store(row, 0, y, (first + r) * targets, targets);
        }
    }

    private double fold(double score, double weight, boolean firstVote) {
        return switch (aggregate) {
            case SUM, AVERAGE -> inDouble ? score + weight : (float) (score + weight);
            case MIN -> firstVote ? weight : Math.min(score, weight);
            case MAX -> firstVote ? weight : Math.max(score, weight);
        };
    }

    private void regress(double[] row) {
        for (int t = 0; t < targets; t++) {
            if (aggregate == Aggregate.AVERAGE) {
                row[t] /= trees.roots.length;
            }
            row[t] += base.length == targets ? base[t] : 0;
        }
        if (targets > 1 || transform == PostTransform.PROBIT) {
            transform.apply(row, targets);
        }
    }

    /** Brings the scores of a row to their final form and gives the index of its class. */
    private int classify(double[] row, int[] votes, int votesAt) {
        if (targets == 2 && (votes[votesAt + 1] == 0 || oneVote)) {
            return classifyByOne(row, votes[votesAt + 1] == 0 ? 0 : 1);
        }
        int best = -1;
        for (int t = 0; t < targets; t++) {
            row[t] += base.length == targets ? base[t] : 0;
            boolean scored = votes[votesAt + t] > 0 || base.length == targets;
            if (scored && (best < 0 || row[t] > row[best])) {
                best = t;
            }
        }
        transform.apply(row, targets);
        return Math.max(0, best);
    }

    /**
     * Two classes, all votes for one: a probability where none is negative, else a margin. Where the votes are for the second class, or
     * there are two base values, the other score stays 0, as in ONNX Runtime; else it follows from the one.
     */
    private int classifyByOne(double[] row, int voted) {
        boolean both = voted == 1 || base.length == 2;
        row[voted] += base.length == 0 ? 0 : base[Math.min(voted, base.length - 1)];
        boolean positive = row[voted] > (noNegativeVotes ? 0.5 : 0);
        if (both) {
            transform.apply(row, 2);
        } else {
            transform.spread(row, noNegativeVotes);
        }
        return positive ? 1 : 0;
    }
}
