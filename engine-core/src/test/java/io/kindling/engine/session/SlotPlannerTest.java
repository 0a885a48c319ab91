package io.kindling.engine.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.kindling.engine.ir.Node;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SlotPlannerTest {
    private static final int X = 0;

    private static PlannedNode node(int[] inputs, int[] outputs, int... aliases) {
        return new PlannedNode(
                new Node("n", "", "Op", List.of(), List.of(), Map.of()), null, null, inputs, outputs, aliases);
    }

    @Test
    void aChainTakesTwoSlotsInTurn() {
        PlannedNode[] chain = {
            node(new int[] {X}, new int[] {1}, -1),
            node(new int[] {1}, new int[] {2}, -1),
            node(new int[] {2}, new int[] {3}, -1),
            node(new int[] {3}, new int[] {4}, -1)
        };
        int[] slots = SlotPlanner.plan(5, chain, new int[] {4});
        assertThat(slots).containsExactly(-1, 0, 1, 0, 1);
    }

    @Test
    void aViewKeepsItsRootAlive() {
        PlannedNode[] nodes = {
            node(new int[] {X}, new int[] {1}, -1),
            node(new int[] {1}, new int[] {2}, 0),
            node(new int[] {X}, new int[] {3}, -1),
            node(new int[] {2, 3}, new int[] {4}, -1)
        };
        int[] slots = SlotPlanner.plan(5, nodes, new int[] {4});
        assertThat(slots[2]).isEqualTo(slots[1]);
        assertThat(slots[3]).isNotEqualTo(slots[1]);
        assertThat(slots[4]).isNotIn(slots[1], slots[3]);
    }

    @Test
    void aGraphOutputNeverLosesItsSlot() {
        PlannedNode[] nodes = {
            node(new int[] {X}, new int[] {1}, -1),
            node(new int[] {1}, new int[] {2}, -1),
            node(new int[] {2}, new int[] {3}, -1)
        };
        int[] slots = SlotPlanner.plan(4, nodes, new int[] {1, 3});
        assertThat(slots[2]).isNotEqualTo(slots[1]);
        assertThat(slots[3]).isNotIn(slots[1], slots[2]);
    }

    @Test
    void viewsOfInputsHaveNoSlot() {
        PlannedNode[] nodes = {node(new int[] {X}, new int[] {1}, 0), node(new int[] {1}, new int[] {2}, -1)};
        assertThat(SlotPlanner.plan(3, nodes, new int[] {2})).containsExactly(-1, -1, 0);
    }

    @Test
    void anOutputNobodyReadsGivesItsSlotBackAtOnce() {
        PlannedNode[] nodes = {node(new int[] {X}, new int[] {1}, -1), node(new int[] {X}, new int[] {2}, -1)};
        assertThat(SlotPlanner.plan(3, nodes, new int[] {2})).containsExactly(-1, 0, 0);
    }
}
