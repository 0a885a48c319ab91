package io.kindling.engine.cpu.simd;

import static org.assertj.core.api.Assertions.assertThat;

import io.kindling.engine.cpu.OneNode;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.provider.Tensor;
import io.kindling.engine.provider.Value;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.Arguments;

/** What tests of kernels on bytes have in common. */
abstract class IntegerLevels extends NativeLevels {
    static Stream<Arguments> levelsAndTypes() {
        return levels().flatMap(level -> Stream.of(DataType.UINT8, DataType.INT8)
                .flatMap(a -> Stream.of(DataType.UINT8, DataType.INT8).map(b -> Arguments.of(level, a, b))));
    }

    static Tensor bytes(DataType type, int seed, long... shape) {
        byte[] values = new byte[(int) Tensor.count(shape)];
        new Random(seed).nextBytes(values);
        return tensor(type, values, shape);
    }

    static Tensor tensor(DataType type, byte[] values, long... shape) {
        Tensor tensor = Tensor.allocateHost(type, shape);
        tensor.bytes().put(0, values);
        return tensor;
    }

    static Tensor floats(long[] shape, float... values) {
        return Tensor.ofFloats(shape, values);
    }

    static Tensor scales(int seed, int count) {
        float[] values = gaussians(seed, count);
        for (int i = 0; i < count; i++) {
            values[i] = Math.abs(values[i]) / 300 + 1e-3f;
        }
        return floats(new long[] {count}, values);
    }

    static Tensor ints(int seed, long... shape) {
        int[] values = new Random(seed).ints(Tensor.count(shape), -90000, 90000).toArray();
        return Tensor.ofInts(shape, values);
    }

    /** What both give, bit for bit; the native kernel has to run. */
    static void sameAsReference(String level, String way, OneNode node, Tensor... inputs) {
        List<Value> got = run("native " + level + way, level, node, inputs);
        List<Value> want = node.runAll(inputs);
        assertThat(node.variant()).isEqualTo("java");
        for (int i = 0; i < want.size(); i++) {
            Tensor expected = (Tensor) want.get(i);
            Tensor actual = (Tensor) got.get(i);
            assertThat(actual.type()).isEqualTo(expected.type());
            assertThat(actual.shape()).isEqualTo(expected.shape());
            assertThat(content(actual))
                    .as("output %d of %s", i, Arrays.toString(inputs))
                    .isEqualTo(content(expected));
        }
    }

    static byte[] content(Tensor tensor) {
        byte[] values = new byte[(int) tensor.byteSize()];
        tensor.bytes().get(0, values);
        return values;
    }
}
