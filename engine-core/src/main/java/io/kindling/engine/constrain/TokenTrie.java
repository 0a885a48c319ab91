package io.kindling.engine.constrain;

import io.kindling.engine.text.TokenBytes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/**
 * The tokens of a vocabulary by their bytes, as a tree whose nodes lie in the order of a walk that goes down first: what no token goes on
 * with is left with one jump. Immutable.
 */
final class TokenTrie {
    private final byte[] values;
    /** Of each node, from 1 on. */
    private final short[] depths;
    /** The first node that does not lie below a node. */
    private final int[] ends;
    /** Where the tokens of a node begin in {@link #tokens}; they end where the next node's begin. */
    private final int[] starts;

    private final int[] tokens;
    private final int deepest;

    /** Tokens without bytes, and those longer than texts of a form have any use for, are left out. */
    TokenTrie(TokenBytes vocabulary) {
        List<Integer> ids = new ArrayList<>();
        byte[][] bytes = new byte[vocabulary.size()][];
        int most = 0;
        for (int id = 0; id < bytes.length; id++) {
            bytes[id] = vocabulary.of(id).orElse(new byte[0]);
            if (bytes[id].length > 0 && bytes[id].length <= Short.MAX_VALUE) {
                ids.add(id);
                most += bytes[id].length;
            }
        }
        ids.sort((a, b) -> Arrays.compareUnsigned(bytes[a], bytes[b]));
        byte[] value = new byte[most];
        short[] depth = new short[most];
        int[] start = new int[most + 1];
        tokens = new int[ids.size()];
        byte[] before = {};
        int count = 0;
        int placed = 0;
        int longest = 0;
        for (int id : ids) {
            byte[] next = bytes[id];
            int common = Math.max(0, Arrays.mismatch(before, next));
            for (int k = Arrays.equals(before, next) ? next.length : common; k < next.length; k++) {
                value[count] = next[k];
                depth[count] = (short) (k + 1);
                start[count++] = placed;
            }
            tokens[placed++] = id;
            longest = Math.max(longest, next.length);
            before = next;
        }
        start[count] = placed;
        values = Arrays.copyOf(value, count);
        depths = Arrays.copyOf(depth, count);
        starts = Arrays.copyOf(start, count + 1);
        deepest = longest;
        ends = ends(depths, longest);
    }

    private static int[] ends(short[] depths, int deepest) {
        int[] ends = new int[depths.length];
        int[] open = new int[deepest + 1];
        int depth = 0;
        for (int node = 0; node <= depths.length; node++) {
            int next = node < depths.length ? depths[node] : 0;
            for (; depth >= Math.max(1, next); depth--) {
                ends[open[depth]] = node;
            }
            depth = next;
            open[depth] = node;
        }
        return ends;
    }

    /** The tokens that an automaton can go on with from a state. */
    BitSet allowed(Node from) {
        BitSet allowed = new BitSet();
        Node[] path = new Node[deepest + 1];
        path[0] = from;
        int node = 0;
        while (node < values.length) {
            Node next = path[depths[node] - 1].next(values[node] & 0xFF);
            if (next == Node.DEAD) {
                node = ends[node];
                continue;
            }
            path[depths[node]] = next;
            for (int k = starts[node]; k < starts[node + 1]; k++) {
                allowed.set(tokens[k]);
            }
            node++;
        }
        return allowed;
    }
}
