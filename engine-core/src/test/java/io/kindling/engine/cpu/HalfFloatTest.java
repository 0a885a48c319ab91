package io.kindling.engine.cpu;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HalfFloatTest {
    @Test
    void everyHalfComesBackAndLiesWhereTheStandardPutsIt() {
        for (int bits = 0; bits < 1 << 16; bits++) {
            int exponent = bits >> 10 & 31;
            int mantissa = bits & 1023;
            float value = HalfFloat.fromHalf((short) bits);
            if (exponent == 31) {
                assertThat(Float.isFinite(value)).isFalse();
                assertThat(Float.isNaN(value)).isEqualTo(mantissa != 0);
                continue;
            }
            double magnitude =
                    exponent == 0 ? mantissa * Math.pow(2, -24) : (1 + mantissa / 1024.0) * Math.pow(2, exponent - 15);
            assertThat((double) value).isEqualTo(bits >= 1 << 15 ? -magnitude : magnitude);
            assertThat(HalfFloat.toHalf(value)).isEqualTo((short) bits);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "2049, 2048", // halfway, to the even mantissa
        "2051, 2052",
        "65519.996, 65504",
        "65520, Infinity",
        "2.9802322E-8, 0", // half of the smallest subnormal, to even
        "2.9802326E-8, 5.9604645E-8",
        "-1e-9, -0.0",
    })
    void roundsToNearestTiesToEven(float value, float rounded) {
        assertThat(HalfFloat.fromHalf(HalfFloat.toHalf(value))).isEqualTo(rounded);
    }

    @Test
    void brainFloatsRoundToNearestTiesToEven() {
        assertThat(HalfFloat.fromBrain(HalfFloat.toBrain(1.00390625f))).isEqualTo(1.0f);
        assertThat(HalfFloat.fromBrain(HalfFloat.toBrain(1.01171875f))).isEqualTo(1.015625f);
        assertThat(HalfFloat.fromBrain(HalfFloat.toBrain(Float.MAX_VALUE))).isEqualTo(Float.POSITIVE_INFINITY);
        assertThat(HalfFloat.fromBrain(HalfFloat.toBrain(Float.NaN))).isNaN();
    }
}
