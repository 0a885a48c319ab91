package io.kindling.engine.cpu.simd;

import io.kindling.engine.cpu.OneNode;
import io.kindling.engine.ir.Attribute;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.provider.Tensor;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Convolutions of bytes on every instruction set this machine runs: the very bits of the reference. */
class NativeIntegerConvTest extends IntegerLevels {
    private static OneNode conv(String opType, long[] strides, long[] pads, long[] dilations, long groups) {
        return OneNode.of("", 10, opType)
                .with("strides", Attribute.of(strides))
                .with("pads", Attribute.of(pads))
                .with("dilations", Attribute.of(dilations))
                .with("group", groups);
    }

    private static long[] two(long value) {
        return new long[] {value, value};
    }

    @ParameterizedTest
    @MethodSource("levelsAndTypes")
    void sumsOfWindowsAreThoseOfTheReference(String level, DataType x, DataType w) {
        Tensor planes = bytes(x, 1, 2, 6, 11, 19);
        Tensor zeroX = bytes(x, 2);
        for (long stride = 1; stride <= 3; stride++) {
            OneNode node = conv("ConvInteger", two(stride), new long[] {1, 2, 0, 1}, two(1), 1);
            sameAsReference(level, "", node, planes, bytes(w, 3, 5, 6, 3, 3), zeroX, bytes(w, 4, 5));
        }
        OneNode dilated = conv("ConvInteger", two(1), new long[4], two(2), 2).constants(1);
        sameAsReference(level, " packed", dilated, planes, bytes(w, 5, 34, 3, 2, 3), zeroX, bytes(w, 6, 34));
        OneNode deep = conv("ConvInteger", two(1), new long[4], two(1), 6).constants(1);
        sameAsReference(level, " packed", deep, planes, bytes(w, 7, 6, 1, 3, 3), zeroX, bytes(w, 8));
        OneNode points = conv("ConvInteger", two(1), new long[4], two(1), 1).constants(1);
        sameAsReference(level, " packed", points, planes, bytes(w, 9, 37, 6, 1, 1));
        Tensor line = bytes(x, 10, 2, 3, 40);
        sameAsReference(level, "", OneNode.of("", 10, "ConvInteger"), line, bytes(w, 11, 4, 3, 5), zeroX);
    }

    @ParameterizedTest
    @MethodSource("levelsAndTypes")
    void requantisedSumsHaveTheBitsOfTheReference(String level, DataType x, DataType w) {
        Tensor planes = bytes(x, 1, 2, 6, 9, 20);
        Tensor zeroX = bytes(x, 2);
        Tensor zeroY = bytes(w, 3);
        Tensor scaleX = scales(4, 1);
        Tensor scaleY = Tensor.ofFloats(new long[0], 11);
        OneNode node =
                conv("QLinearConv", two(1), new long[] {1, 1, 1, 1}, two(1), 2).constants(3);
        Tensor filters = bytes(w, 5, 34, 3, 3, 3);
        Tensor bias = ints(6, 34);
        Tensor zeros = bytes(w, 8, 34);
        sameAsReference(
                level, " packed", node, planes, scaleX, zeroX, filters, scales(7, 34), zeros, scaleY, zeroY, bias);
        sameAsReference(
                level, " packed", node, planes, scaleX, zeroX, filters, scales(7, 1), bytes(w, 9), scaleY, zeroY);
    }

    /** So many products that a sum may need more than 32 bits. */
    @ParameterizedTest
    @MethodSource("levels")
    void sumsOfVeryManyProductsAreLeftToTheReference(String level) {
        Tensor planes = bytes(DataType.UINT8, 1, 1, 40000, 1, 1);
        Tensor filters = bytes(DataType.UINT8, 2, 1, 40000, 1, 1);
        Tensor zero = bytes(DataType.UINT8, 3);
        OneNode node = OneNode.of("", 10, "QLinearConv");
        run("java", level, node, planes, scales(4, 1), zero, filters, scales(5, 1), zero, scales(6, 1), zero);
    }
}
