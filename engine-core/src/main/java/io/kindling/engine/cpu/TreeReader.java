package io.kindling.engine.cpu;

import io.kindling.engine.provider.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Builds {@link DecisionTrees} from the attributes of the tree operators, and refuses what is no forest. */
final class TreeReader {
    private final MlAttributes attributes;

    TreeReader(MlAttributes attributes) {
        this.attributes = attributes;
    }

    /**
     * The trees of {@code TreeEnsembleClassifier} and {@code TreeEnsembleRegressor}: nodes and votes by tree id and node id.
     *
     * @param votes {@code class} or {@code target}, which the names of the votes' attributes begin with
     */
    DecisionTrees ensemble(String votes, int targetCount) {
        long[] treeIds = attributes.integers("nodes_treeids");
        long[] nodeIds = attributes.integers("nodes_nodeids");
        long[] features = attributes.integers("nodes_featureids");
        long[] yes = attributes.integers("nodes_truenodeids");
        long[] no = attributes.integers("nodes_falsenodeids");
        long[] missing = attributes.integers("nodes_missing_value_tracks_true");
        String[] modes = attributes.strings("nodes_modes");
        double[] values = attributes.numbers("nodes_values");
        int count = treeIds.length;
        checkLengths(count, nodeIds.length, features.length, yes.length, no.length, modes.length, values.length);
        // Branches and leaves are numbered apart, in the order of the attributes.
        Map<Long, Map<Long, Integer>> places = new HashMap<>();
        Map<Long, Integer> roots = new LinkedHashMap<>();
        int branches = 0;
        int leaves = 0;
        for (int k = 0; k < count; k++) {
            int place = modes[k].equals("LEAF") ? ~leaves++ : branches++;
            if (places.computeIfAbsent(treeIds[k], id -> new HashMap<>()).put(nodeIds[k], place) != null) {
                throw attributes.invalid("node " + nodeIds[k] + " of tree " + treeIds[k] + " is there twice");
            }
            roots.putIfAbsent(treeIds[k], place);
        }
        int[] branchFeatures = new int[branches];
        double[] branchValues = new double[branches];
        byte[] branchModes = new byte[branches];
        boolean[] missingIsTrue = new boolean[branches];
        int[] branchYes = new int[branches];
        int[] branchNo = new int[branches];
        int branch = 0;
        for (int k = 0; k < count; k++) {
            if (!modes[k].equals("LEAF")) {
                branchFeatures[branch] = feature(features[k]);
                branchValues[branch] = values[k];
                branchModes[branch] = mode(modes[k]);
                missingIsTrue[branch] = missing.length > 0 && missing[k] != 0;
                branchYes[branch] = place(places, treeIds[k], yes[k]);
                branchNo[branch++] = place(places, treeIds[k], no[k]);
            }
        }
        Votes table = votes(votes, places, leaves, targetCount);
        return checked(new DecisionTrees(
                roots.values().stream().mapToInt(Integer::intValue).toArray(),
                branchFeatures,
                branchValues,
                branchModes,
                missingIsTrue,
                branchYes,
                branchNo,
                new double[branches][],
                table.starts,
                table.targets,
                table.weights));
    }

    private record Votes(int[] starts, int[] targets, double[] weights) {}

    /** Votes of each leaf; those of nodes that are no leaves never count. */
    private Votes votes(String prefix, Map<Long, Map<Long, Integer>> places, int leaves, int targetCount) {
        long[] treeIds = attributes.integers(prefix + "_treeids");
        long[] nodeIds = attributes.integers(prefix + "_nodeids");
        long[] targets = attributes.integers(prefix + "_ids");
        double[] weights = attributes.numbers(prefix + "_weights");
        checkLengths(treeIds.length, nodeIds.length, targets.length, weights.length);
        int[] leaf = new int[treeIds.length];
        int[] starts = new int[leaves + 1];
        for (int k = 0; k < leaf.length; k++) {
            leaf[k] = ~place(places, treeIds[k], nodeIds[k]);
            target(targets[k], targetCount);
            if (leaf[k] >= 0) {
                starts[leaf[k] + 1]++;
            }
        }
        for (int l = 0; l < leaves; l++) {
            starts[l + 1] += starts[l];
        }
        int[] next = Arrays.copyOf(starts, leaves);
        Votes sorted = new Votes(starts, new int[starts[leaves]], new double[starts[leaves]]);
        for (int k = 0; k < leaf.length; k++) {
            if (leaf[k] >= 0) {
                sorted.targets[next[leaf[k]]] = (int) targets[k];
                sorted.weights[next[leaf[k]]++] = weights[k];
            }
        }
        return sorted;
    }

    /** The trees of {@code TreeEnsemble}: branches and leaves are separate lists, and a leaf votes for one target. */
    DecisionTrees separate(int targetCount) {
        long[] features = attributes.integers("nodes_featureids");
        long[] yes = attributes.integers("nodes_truenodeids");
        long[] no = attributes.integers("nodes_falsenodeids");
        long[] yesIsLeaf = attributes.integers("nodes_trueleafs");
        long[] noIsLeaf = attributes.integers("nodes_falseleafs");
        long[] missing = attributes.integers("nodes_missing_value_tracks_true");
        long[] roots = attributes.integers("tree_roots");
        double[] values = attributes.tensorNumbers("nodes_splits");
        double[] weights = attributes.tensorNumbers("leaf_weights");
        long[] targets = attributes.integers("leaf_targetids");
        Tensor modeTensor = attributes.tensor("nodes_modes");
        int count = features.length;
        if (modeTensor == null) {
            throw attributes.invalid("has no nodes_modes");
        }
        checkLengths(count, yes.length, no.length, yesIsLeaf.length, noIsLeaf.length, values.length);
        checkLengths(count, TensorIo.count(modeTensor));
        checkLengths(weights.length, targets.length);
        byte[] modes = new byte[count];
        boolean[] missingIsTrue = new boolean[count];
        int[] branchYes = new int[count];
        int[] branchNo = new int[count];
        double[][] members = new double[count][];
        List<double[]> sets = memberSets();
        int set = 0;
        for (int k = 0; k < count; k++) {
            modes[k] = (byte) TensorIo.getLong(modeTensor, k);
            if (modes[k] < DecisionTrees.LEQ || modes[k] > DecisionTrees.MEMBER) {
                throw attributes.invalid("nodes_modes has " + modes[k] + ", which is no mode");
            }
            if (modes[k] == DecisionTrees.MEMBER) {
                if (set == sets.size()) {
                    throw attributes.invalid("membership_values has " + set + " sets, too few for its nodes");
                }
                members[k] = sets.get(set++);
            }
            missingIsTrue[k] = missing.length > 0 && missing[k] != 0;
            branchYes[k] = child(yes[k], yesIsLeaf[k] != 0, count, weights.length);
            branchNo[k] = child(no[k], noIsLeaf[k] != 0, count, weights.length);
        }
        int[] starts = new int[weights.length + 1];
        int[] votes = new int[weights.length];
        for (int l = 0; l < weights.length; l++) {
            starts[l + 1] = l + 1;
            votes[l] = target(targets[l], targetCount);
        }
        return checked(new DecisionTrees(
                Arrays.stream(roots)
                        .mapToInt(root -> child(root, false, count, weights.length))
                        .toArray(),
                Arrays.stream(features).mapToInt(this::feature).toArray(),
                values,
                modes,
                missingIsTrue,
                branchYes,
                branchNo,
                members,
                starts,
                votes,
                weights));
    }

    /** The sets in {@code membership_values} end in NaN each. */
    private List<double[]> memberSets() {
        List<double[]> sets = new ArrayList<>();
        double[] all = attributes.tensorNumbers("membership_values");
        int start = 0;
        for (int k = 0; k < all.length; k++) {
            if (Double.isNaN(all[k])) {
                double[] set = Arrays.copyOfRange(all, start, k);
                Arrays.sort(set);
                sets.add(set);
                start = k + 1;
            }
        }
        return sets;
    }

    private int child(long id, boolean leaf, int branches, int leaves) {
        if (id < 0 || id >= (leaf ? leaves : branches)) {
            throw attributes.invalid((leaf ? "leaf " : "node ") + id + " does not exist");
        }
        return leaf ? ~(int) id : (int) id;
    }

    private int place(Map<Long, Map<Long, Integer>> places, long tree, long node) {
        Integer place = places.getOrDefault(tree, Map.of()).get(node);
        if (place == null) {
            throw attributes.invalid("node " + node + " of tree " + tree + " does not exist");
        }
        return place;
    }

    private int feature(long id) {
        if (id < 0 || id > Integer.MAX_VALUE) {
            throw attributes.invalid("feature " + id + " does not exist");
        }
        return (int) id;
    }

    private int target(long id, int count) {
        if (id < 0 || id >= count) {
            throw attributes.invalid("a leaf votes for " + id + " of " + count + " targets");
        }
        return (int) id;
    }

    private byte mode(String name) {
        return switch (name) {
            case "BRANCH_LEQ" -> DecisionTrees.LEQ;
            case "BRANCH_LT" -> DecisionTrees.LT;
            case "BRANCH_GTE" -> DecisionTrees.GTE;
            case "BRANCH_GT" -> DecisionTrees.GT;
            case "BRANCH_EQ" -> DecisionTrees.EQ;
            case "BRANCH_NEQ" -> DecisionTrees.NEQ;
            default -> throw attributes.invalid("nodes_modes has '" + name + "', which is no mode");
        };
    }

    private void checkLengths(int expected, int... lengths) {
        for (int length : lengths) {
            if (length != expected) {
                throw attributes.invalid("has attributes of " + length + " and " + expected
                        + " elements that describe the same nodes or votes");
            }
        }
    }

    private DecisionTrees checked(DecisionTrees trees) {
        if (trees.hasCycle()) {
            throw attributes.invalid("has a node that is below itself");
        }
        return trees;
    }
}
