package io.kindling.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.kindling.engine.ir.DataType;
import io.kindling.engine.provider.Tensor;
import io.kindling.engine.provider.Value;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ValueComparisonTest {
    private static final ValueComparison STRICT = ValueComparison.STRICT;

    private static Tensor floats(float... values) {
        return Tensor.ofFloats(new long[] {values.length}, values);
    }

    @Test
    void floatsMayDifferByAThousandthOfThemselvesAndAMillionthOfTheLargest() {
        assertThat(STRICT.difference(floats(1.001f), floats(1))).isEmpty();
        assertThat(STRICT.difference(floats(1.5f), floats(1)))
                .contains("1 of 1 elements differ, the first at 0: 1.5 instead of 1.0");
        // 1e-6 of the largest value, 1000, exceeds 1e-5.
        assertThat(STRICT.difference(floats(1000, 0.0009f), floats(1000, 0))).isEmpty();
        assertThat(STRICT.difference(floats(1, 0.0009f), floats(1, 0))).isPresent();
    }

    @Test
    void nanAndInfinityEqualThemselvesOnly() {
        float nan = Float.NaN;
        float infinity = Float.POSITIVE_INFINITY;
        assertThat(STRICT.difference(floats(nan, infinity), floats(nan, infinity)))
                .isEmpty();
        assertThat(STRICT.difference(floats(nan), floats(infinity))).isPresent();
        assertThat(STRICT.difference(floats(-infinity), floats(infinity))).isPresent();
        assertThat(STRICT.difference(floats(1e38f), floats(infinity))).isPresent();
        assertThat(STRICT.difference(floats(infinity), floats(1e38f))).isPresent();
    }

    @Test
    void shapesAndTypesMustBeEqual() {
        Tensor row = Tensor.ofFloats(new long[] {1, 2}, 1, 2);
        assertThat(STRICT.difference(floats(1, 2), row)).contains("float[2] instead of float[1, 2]");
        assertThat(STRICT.difference(Tensor.ofLongs(new long[] {1}, 1), floats(1)))
                .contains("int64[1] instead of float[1]");
        assertThat(STRICT.difference(new Value.Sequence(List.of()), floats(1)))
                .contains("a sequence instead of a tensor");
    }

    @Test
    void halvesHaveTheirOwnTolerance() {
        Tensor one = Tensor.allocateHost(DataType.FLOAT16, 1);
        one.shorts().put(0, (short) 0x3c00);
        Tensor next = Tensor.allocateHost(DataType.FLOAT16, 1);
        // 1 + 3/1024 is within 1e-3 + 2e-3, 1 + 4/1024 is not.
        next.shorts().put(0, (short) 0x3c03);
        assertThat(STRICT.difference(next, one)).isEmpty();
        next.shorts().put(0, (short) 0x3c04);
        assertThat(STRICT.difference(next, one)).isPresent();
    }

    @Test
    void integersAreExactUnlessACaseSaysOtherwise() {
        Tensor three = Tensor.ofLongs(new long[] {1}, 3);
        Tensor four = Tensor.ofLongs(new long[] {1}, 4);
        assertThat(STRICT.difference(three, four)).contains("1 of 1 elements differ, the first at 0: 3 instead of 4");
        assertThat(new ValueComparison(0, 0, 1).difference(three, four)).isEmpty();
    }

    @Test
    void nibblesAreComparedWithoutTheirPadding() {
        Tensor a = Tensor.allocateHost(DataType.UINT4, 3);
        Tensor b = Tensor.allocateHost(DataType.UINT4, 3);
        a.bytes().put(0, (byte) 0x21).put(1, (byte) 0xf3);
        b.bytes().put(0, (byte) 0x21).put(1, (byte) 0x03);
        assertThat(STRICT.difference(a, b)).isEmpty();
        b.bytes().put(1, (byte) 0x04);
        assertThat(STRICT.difference(a, b)).contains("1 of 3 elements differ, the first at 2: 3 instead of 4");
    }

    @Test
    void stringsSequencesAndOptionalsAreComparedByContent() {
        Tensor text = Tensor.ofStrings(new long[] {2}, "a", "b");
        assertThat(STRICT.difference(text, Tensor.ofStrings(new long[] {2}, "a", "c")))
                .contains("1 of 2 elements differ, the first at 1: 'b' instead of 'c'");
        Value.Sequence two = new Value.Sequence(List.of(floats(1), floats(2)));
        assertThat(STRICT.difference(two, two)).isEmpty();
        assertThat(STRICT.difference(two, new Value.Sequence(List.of(floats(1), floats(3)))))
                .contains("element 1: 1 of 1 elements differ, the first at 0: 2.0 instead of 3.0");
        assertThat(STRICT.difference(new Value.Sequence(List.of()), two)).contains("0 elements instead of 2");
        Value.Opt empty = new Value.Opt(Optional.empty());
        assertThat(STRICT.difference(empty, empty)).isEmpty();
        assertThat(STRICT.difference(empty, new Value.Opt(Optional.of(floats(1)))))
                .contains("an empty optional instead of an optional with content");
    }
}
