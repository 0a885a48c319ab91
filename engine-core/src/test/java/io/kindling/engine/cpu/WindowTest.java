package io.kindling.engine.cpu;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kindling.engine.error.KindlingException;
import io.kindling.engine.ir.Attribute;
import io.kindling.engine.provider.Tensor;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WindowTest {
    private static Tensor zeros(long... shape) {
        return Tensor.ofFloats(shape, new float[(int) Tensor.count(shape)]);
    }

    @ParameterizedTest
    @CsvSource({"Conv, 1", "Conv, 3", "DeformConv, 1", "DeformConv, 3"})
    void filtersOfAnotherSizeThanTheAttributeSaysAreRefused(String operator, int kernel) {
        OneNode node = OneNode.of("", 22, operator).with("kernel_shape", Attribute.of(kernel, kernel));
        Tensor x = zeros(1, 1, 5, 5);
        Tensor w = zeros(1, 1, 2, 2);
        Tensor offset = zeros(1, 2L * kernel * kernel, 6 - kernel, 6 - kernel);
        assertThatThrownBy(() -> {
                    if (operator.equals("Conv")) {
                        node.run(x, w);
                    } else {
                        node.run(x, w, offset);
                    }
                })
                .isInstanceOf(KindlingException.class)
                .hasMessageContaining("is not of kernel_shape [" + kernel + ", " + kernel + "]");
    }
}
