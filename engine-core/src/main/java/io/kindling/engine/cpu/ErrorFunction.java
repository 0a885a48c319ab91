package io.kindling.engine.cpu;

/** The error function, to about 1e-15, by the rational approximations of W. J. Cody (Math. Comp. 23, 1969). */
final class ErrorFunction {
    private static final double[] SMALL_P = {
        3.20937758913846947e03,
        3.77485237685302021e02,
        1.13864154151050156e02,
        3.16112374387056560e00,
        1.85777706184603153e-1
    };
    private static final double[] SMALL_Q = {
        2.84423683343917062e03, 1.28261652607737228e03, 2.44024637934444173e02, 2.36012909523441209e01, 1
    };
    private static final double[] MIDDLE_P = {
        1.23033935479799725e03, 2.05107837782607147e03, 1.71204761263407058e03, 8.81952221241769090e02,
        2.98635138197400131e02, 6.61191906371416295e01, 8.88314979438837594e00, 5.64188496988670089e-1,
        2.15311535474403846e-8
    };
    private static final double[] MIDDLE_Q = {
        1.23033935480374942e03,
        3.43936767414372164e03,
        4.36261909014324716e03,
        3.29079923573345963e03,
        1.62138957456669019e03,
        5.37181101862009858e02,
        1.17693950891312499e02,
        1.57449261107098347e01,
        1
    };

    private ErrorFunction() {}

    static double erf(double x) {
        double magnitude = Math.abs(x);
        if (magnitude <= 0.46875) {
            double square = x * x;
            return x * polynomial(SMALL_P, square) / polynomial(SMALL_Q, square);
        }
        if (magnitude > 6) {
            return Math.signum(x);
        }
        if (Double.isNaN(x)) {
            return x;
        }
        double complement = Math.exp(-x * x) * polynomial(MIDDLE_P, magnitude) / polynomial(MIDDLE_Q, magnitude);
        return Math.copySign(1 - complement, x);
    }

    private static double polynomial(double[] coefficients, double x) {
        double value = coefficients[coefficients.length - 1];
        for (int k = coefficients.length - 2; k >= 0; k--) {
            value = value * x + coefficients[k];
        }
        return value;
    }
}
