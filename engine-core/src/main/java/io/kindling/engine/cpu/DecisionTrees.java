package io.kindling.engine.cpu;

import java.util.Arrays;

/**
 * Decision trees as flat arrays. A child that is not negative is a node; {@code ~child} is a leaf, whose votes are a stretch of
 * {@code targets} and {@code weights}.
 */
final class DecisionTrees {
    /** Comparisons of a feature with a node's value; the numbers are those of {@code nodes_modes} in TreeEnsemble. */
    static final byte LEQ = 0;

    static final byte LT = 1;
    static final byte GTE = 2;
    static final byte GT = 3;
    static final byte EQ = 4;
    static final byte NEQ = 5;
    static final byte MEMBER = 6;

    final int[] roots;
    private final int[] features;
    private final double[] values;
    private final byte[] modes;
    private final boolean[] missingIsTrue;
    private final int[] yes;
    private final int[] no;

    /** Sets of the MEMBER nodes, sorted; null elsewhere. */
    private final double[][] members;

    /** Where the votes of a leaf begin; one entry more than there are leaves. */
    final int[] leafStarts;

    final int[] targets;
    final double[] weights;
    private final boolean simple;

    DecisionTrees(
            int[] roots,
            int[] features,
            double[] values,
            byte[] modes,
            boolean[] missingIsTrue,
            int[] yes,
            int[] no,
            double[][] members,
            int[] leafStarts,
            int[] targets,
            double[] weights) {
        this.roots = roots;
        this.features = features;
        this.values = values;
        this.modes = modes;
        this.missingIsTrue = missingIsTrue;
        this.yes = yes;
        this.no = no;
        this.members = members;
        this.leafStarts = leafStarts;
        this.targets = targets;
        this.weights = weights;
        boolean plain = true;
        for (int node = 0; node < modes.length; node++) {
            plain &= modes[node] == LEQ && !missingIsTrue[node];
        }
        simple = plain;
    }

    /** Largest feature that a node looks at, or −1. */
    int lastFeature() {
        return Arrays.stream(features).max().orElse(-1);
    }

    /** The leaf that a row of features, which begins at {@code offset}, comes to. */
    int leaf(int root, double[] row, int offset) {
        int node = root;
        if (simple) {
            while (node >= 0) {
                node = row[offset + features[node]] <= values[node] ? yes[node] : no[node];
            }
            return ~node;
        }
        while (node >= 0) {
            double value = row[offset + features[node]];
            boolean goes = missingIsTrue[node] && Double.isNaN(value) || holds(node, value);
            node = goes ? yes[node] : no[node];
        }
        return ~node;
    }

    private boolean holds(int node, double value) {
        return switch (modes[node]) {
            case LEQ -> value <= values[node];
            case LT -> value < values[node];
            case GTE -> value >= values[node];
            case GT -> value > values[node];
            case EQ -> value == values[node];
            case NEQ -> value != values[node];
            default -> Arrays.binarySearch(members[node], value) >= 0;
        };
    }

    /** Whether a node can be reached from itself, which would never end. */
    boolean hasCycle() {
        byte[] state = new byte[modes.length];
        int[] path = new int[modes.length + 1];
        for (int root : roots) {
            int depth = 0;
            if (root >= 0 && state[root] == 0) {
                path[depth++] = root;
            }
            while (depth > 0) {
                int node = path[depth - 1];
                // 0 unseen, 1 and 2: inside the first and second child, 3 done
                int child = state[node] == 0 ? yes[node] : state[node] == 1 ? no[node] : -1;
                if (++state[node] == 3) {
                    depth--;
                } else if (child >= 0) {
                    if (state[child] == 1 || state[child] == 2) {
                        return true;
                    }
                    if (state[child] == 0) {
                        path[depth++] = child;
                    }
                }
            }
        }
        return false;
    }
}
