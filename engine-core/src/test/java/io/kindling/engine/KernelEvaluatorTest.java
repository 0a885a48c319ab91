package io.kindling.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.kindling.engine.ir.Attribute;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Node;
import io.kindling.engine.ir.TensorData;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class KernelEvaluatorTest {
    private static Node node(String op, int outputs, Map<String, Attribute> attributes, String... inputs) {
        List<String> names = new ArrayList<>();
        for (int k = 0; k < outputs; k++) {
            names.add("out" + k);
        }
        return new Node(op, "", op, List.of(inputs), names, attributes);
    }

    @Test
    void constantNodesAreComputedWithTheKernelsOfTheModelsOpset() {
        try (Devices.Lease device = Devices.openReference()) {
            KernelEvaluator evaluator = new KernelEvaluator(device.provider(), Map.of("", 18L));
            TensorData values = TensorData.ofLongs(new long[] {4}, 7, 5, 9, 2);
            List<TensorData> parts = evaluator
                    .evaluate(
                            node("Split", 2, Map.of(), "v", "s"),
                            List.of(values, TensorData.ofLongs(new long[] {2}, 3, 1)))
                    .orElseThrow();
            assertThat(parts.get(0).integers().orElseThrow()).containsExactly(7, 5, 9);
            assertThat(parts.get(1).integers().orElseThrow()).containsExactly(2);
            TensorData text =
                    new TensorData(DataType.STRING, new long[] {2}, new TensorData.Strings(List.of("a", "b")));
            TensorData same = evaluator
                    .evaluate(node("Identity", 1, Map.of(), "t"), List.of(text))
                    .orElseThrow()
                    .get(0);
            assertThat(same.content()).isEqualTo(text.content());
        }
    }

    @Test
    void absentInputsAreAbsentAndFaultsLeaveTheNodeWhereItIs() {
        try (Devices.Lease device = Devices.openReference()) {
            KernelEvaluator evaluator = new KernelEvaluator(device.provider(), Map.of("", 18L));
            TensorData low = TensorData.ofLongs(new long[0], 3);
            TensorData clipped = evaluator
                    .evaluate(
                            node("Clip", 1, Map.of(), "v", "", "high"),
                            Arrays.asList(TensorData.ofLongs(new long[] {2}, 1, 9), null, low))
                    .orElseThrow()
                    .get(0);
            assertThat(clipped.integers().orElseThrow()).containsExactly(1, 3);
            assertThat(evaluator.evaluate(node("Frobnicate", 1, Map.of(), "v"), List.of(low)))
                    .isEmpty();
            assertThat(evaluator.evaluate(
                            node("Reshape", 1, Map.of(), "v", "s"),
                            List.of(low, TensorData.ofLongs(new long[] {1}, 5))))
                    .isEmpty();
        }
    }
}
