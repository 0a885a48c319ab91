package io.kindling.engine.text.jinja;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.Locale;

/** Numbers in the formats that percent and brace formatting share. */
final class NumberFormat {
    private static final int MOST_DIGITS = 1000;

    private NumberFormat() {}

    /** @param type one of {@code eEfFgG} */
    static String real(double value, char type, int precision) {
        if (Double.isNaN(value) || Double.isInfinite(value)) {
            return Repr.number(value);
        }
        if (precision > MOST_DIGITS) {
            throw new TemplateError("a precision of " + precision + " digits is refused");
        }
        boolean upper = Character.isUpperCase(type);
        BigDecimal exact = new BigDecimal(value);
        String text =
                switch (Character.toLowerCase(type)) {
                    case 'f' ->
                        exact.setScale(precision, RoundingMode.HALF_EVEN).toPlainString();
                    case 'e' -> scientific(exact, precision);
                    default -> general(exact, Math.max(1, precision));
                };
        String signed = value == 0 && 1 / value < 0 || value < 0 && !text.startsWith("-") ? "-" + text : text;
        return upper ? signed.toUpperCase(Locale.ROOT) : signed;
    }

    private static String scientific(BigDecimal value, int precision) {
        BigDecimal rounded = value.round(new MathContext(precision + 1, RoundingMode.HALF_EVEN));
        String digits = rounded.unscaledValue().abs().toString();
        int exponent = value.signum() == 0 ? 0 : digits.length() - rounded.scale() - 1;
        StringBuilder padded = new StringBuilder(digits);
        while (padded.length() < precision + 1) {
            padded.append('0');
        }
        String mantissa = padded.charAt(0) + (precision > 0 ? "." + padded.substring(1, precision + 1) : "");
        String magnitude = (Math.abs(exponent) < 10 ? "0" : "") + Math.abs(exponent);
        return (value.signum() < 0 ? "-" : "") + mantissa + "e" + (exponent < 0 ? "-" : "+") + magnitude;
    }

    private static String general(BigDecimal value, int precision) {
        if (value.signum() == 0) {
            return "0";
        }
        BigDecimal rounded = value.round(new MathContext(precision, RoundingMode.HALF_EVEN));
        int exponent = rounded.precision() - rounded.scale() - 1;
        BigDecimal stripped = rounded.stripTrailingZeros();
        return exponent < -4 || exponent >= precision
                ? scientific(stripped, Math.max(0, stripped.precision() - 1))
                : stripped.toPlainString();
    }
}
