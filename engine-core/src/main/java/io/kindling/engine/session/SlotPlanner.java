package io.kindling.engine.session;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;

/**
 * Liveness memory plan: gives each stored value a slot that no other value uses while it lives. It never looks at shapes,
 * which files get wrong and batches change: a slot grows to the largest value it ever held. Slots freed last are reused
 * first, so that buffers stay in cache.
 */
final class SlotPlanner {
    private final int[] roots;
    private final int[] lastUse;
    private final boolean[] stored;

    private SlotPlanner(int valueCount) {
        roots = new int[valueCount];
        lastUse = new int[valueCount];
        stored = new boolean[valueCount];
        Arrays.setAll(roots, id -> id);
        Arrays.fill(lastUse, -1);
    }

    /**
     * @param graphOutputs ids that live to the end of the run
     * @return the slot of each value, −1 for values that nodes don't produce and for their aliases
     */
    static int[] plan(int valueCount, PlannedNode[] nodes, int[] graphOutputs) {
        SlotPlanner planner = new SlotPlanner(valueCount);
        planner.findRootsAndUses(nodes);
        for (int id : graphOutputs) {
            planner.lastUse[planner.roots[id]] = Integer.MAX_VALUE;
        }
        return planner.assign(nodes);
    }

    private void findRootsAndUses(PlannedNode[] nodes) {
        for (int index = 0; index < nodes.length; index++) {
            PlannedNode node = nodes[index];
            for (int k = 0; k < node.outputs().length; k++) {
                int output = node.outputs()[k];
                if (output < 0) {
                    continue;
                }
                int alias = node.aliases()[k];
                roots[output] = alias >= 0 ? roots[node.inputs()[alias]] : output;
                stored[output] = alias < 0;
                lastUse[roots[output]] = Math.max(lastUse[roots[output]], index);
            }
            for (int input : node.inputs()) {
                touch(input, index);
            }
            if (node.control() != null) {
                for (GraphPlan body : node.control().bodies()) {
                    for (GraphPlan.Capture capture : body.captures()) {
                        touch(capture.outerId(), index);
                    }
                }
            }
        }
    }

    private void touch(int id, int index) {
        if (id >= 0) {
            lastUse[roots[id]] = Math.max(lastUse[roots[id]], index);
        }
    }

    private int[] assign(PlannedNode[] nodes) {
        int[] slots = new int[roots.length];
        Arrays.fill(slots, -1);
        Deque<Integer> free = new ArrayDeque<>();
        int count = 0;
        int[][] endingAt = valuesByEnd(nodes.length);
        for (int index = 0; index < nodes.length; index++) {
            for (int output : nodes[index].outputs()) {
                if (output >= 0 && stored[output]) {
                    slots[output] = free.isEmpty() ? count++ : free.pop();
                }
            }
            for (int id : endingAt[index]) {
                free.push(slots[id]);
            }
        }
        for (int id = 0; id < slots.length; id++) {
            slots[id] = slots[roots[id]];
        }
        return slots;
    }

    /** Stored values by the node after which nobody reads them. */
    private int[][] valuesByEnd(int nodeCount) {
        int[] counts = new int[nodeCount];
        for (int id = 0; id < roots.length; id++) {
            if (stored[id] && lastUse[id] >= 0 && lastUse[id] < nodeCount) {
                counts[lastUse[id]]++;
            }
        }
        int[][] ending = new int[nodeCount][];
        Arrays.setAll(ending, index -> new int[counts[index]]);
        for (int id = 0; id < roots.length; id++) {
            if (stored[id] && lastUse[id] >= 0 && lastUse[id] < nodeCount) {
                ending[lastUse[id]][--counts[lastUse[id]]] = id;
            }
        }
        return ending;
    }
}
