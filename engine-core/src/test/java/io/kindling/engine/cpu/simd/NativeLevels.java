package io.kindling.engine.cpu.simd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.kindling.engine.cpu.OneNode;
import io.kindling.engine.provider.Provider;
import io.kindling.engine.provider.Tensor;
import io.kindling.engine.provider.Value;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.params.provider.Arguments;

/** What tests of kernels on every instruction set of this machine have in common. */
abstract class NativeLevels {
    /** Around the vector length of 16. */
    private static final int[] SIZES = {1, 7, 15, 16, 17, 31, 67};

    private static final Map<String, Provider> PROVIDERS = new HashMap<>();

    @AfterAll
    static void closeProviders() {
        PROVIDERS.values().forEach(Provider::close);
        PROVIDERS.clear();
    }

    static Stream<String> levels() {
        assertThat(NativeLibrary.unavailableReason()).isEmpty();
        return KernelSet.all().stream().map(KernelSet::level);
    }

    static Stream<Arguments> levelsAndSizes() {
        return levels().flatMap(level -> Arrays.stream(SIZES).mapToObj(size -> Arguments.of(level, size)));
    }

    static float[] gaussians(int seed, int count) {
        Random random = new Random(seed);
        float[] values = new float[count];
        for (int i = 0; i < count; i++) {
            values[i] = (float) random.nextGaussian() * 5;
        }
        return values;
    }

    /** Runs a node with the kernels of a set, and asserts that these ran. */
    static List<Value> run(String level, OneNode node, Tensor... inputs) {
        return run("native " + level, level, node, inputs);
    }

    /** @param variant the implementation that has to run */
    static List<Value> run(String variant, String level, OneNode node, Tensor... inputs) {
        Provider provider = PROVIDERS.computeIfAbsent(level, name -> OneNode.provider(2, new NativeBackend(name)));
        List<Value> result = node.runOn(provider, inputs);
        assertThat(node.variant()).isEqualTo(variant);
        return result;
    }

    /** @param tolerance absolute for values up to 1, else relative */
    static void equalToReference(String level, OneNode node, double tolerance, Tensor... inputs) {
        equalToReference("native " + level, level, node, tolerance, inputs);
    }

    /** @param variant the implementation that has to run */
    static void equalToReference(String variant, String level, OneNode node, double tolerance, Tensor... inputs) {
        float[] got = OneNode.floats(run(variant, level, node, inputs).get(0));
        float[] want = OneNode.floats(node.run(inputs));
        assertThat(node.variant()).isEqualTo("java");
        for (int i = 0; i < want.length; i++) {
            if (Float.isFinite(want[i])) {
                double allowed = tolerance * Math.max(1, Math.abs(want[i]));
                assertThat((double) got[i]).as("element %d", i).isCloseTo(want[i], within(allowed));
            } else {
                assertThat(got[i]).as("element %d", i).isEqualTo(Float.valueOf(want[i]));
            }
        }
    }
}
