/*
 * Vectors of 16 floats in the compiler's own vector types: one source serves every instruction set, each translation unit
 * being compiled with its flags.
 */
#ifndef KINDLING_VEC_H
#define KINDLING_VEC_H

#include <math.h>
#include <stdint.h>
#include <string.h>
#if defined(__AVX512F__)
#include <immintrin.h>
#endif

typedef float v16 __attribute__((vector_size(64)));
typedef int32_t v16i __attribute__((vector_size(64)));
typedef uint32_t v16u __attribute__((vector_size(64)));

static inline v16 v16_set(float x) { return (v16){x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x}; }
static inline v16i v16i_set(int32_t x) { return (v16i){x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x}; }

static inline v16 v16_load(const float *p) {
    v16 v;
    memcpy(&v, p, sizeof v);
    return v;
}

static inline void v16_store(float *p, v16 v) { memcpy(p, &v, sizeof v); }

/* The first `count` lanes, at most 16, from memory and the others from `fill`; nothing behind them is read. */
static inline v16 v16_load_some(const float *p, int64_t count, v16 fill) {
    if (count >= 16) return v16_load(p);
#if defined(__AVX512F__)
    return (v16)_mm512_mask_loadu_ps((__m512)fill, (__mmask16)((1u << count) - 1), p);
#else
    memcpy(&fill, p, count * sizeof(float));
    return fill;
#endif
}

static inline void v16_store_some(float *p, v16 v, int64_t count) {
    if (count >= 16) {
        v16_store(p, v);
    } else {
#if defined(__AVX512F__)
        _mm512_mask_storeu_ps(p, (__mmask16)((1u << count) - 1), (__m512)v);
#else
        memcpy(p, &v, count * sizeof(float));
#endif
    }
}

/* a * b + c, fused where the target has it. */
static inline v16 v16_fma(v16 a, v16 b, v16 c) {
#if defined(__FMA__) || defined(__aarch64__)
    return __builtin_elementwise_fma(a, b, c);
#else
    return a * b + c;
#endif
}

static inline v16 v16_select(v16i mask, v16 yes, v16 no) { return (v16)((mask & (v16i)yes) | (~mask & (v16i)no)); }

/* Largest lane; of NaN lanes the result is unspecified. */
static inline float v16_max(v16 v) { return __builtin_reduce_max(v); }

/* Sum of lanes in a fixed tree: 8 + 8, 4 + 4, 2 + 2, 1 + 1. */
static inline float v16_sum(v16 v) {
    float a[8], b[4];
    for (int i = 0; i < 8; i++) a[i] = v[i] + v[i + 8];
    for (int i = 0; i < 4; i++) b[i] = a[i] + a[i + 4];
    return (b[0] + b[2]) + (b[1] + b[3]);
}

/*
 * e^x with a relative error below 2e-7: x = n ln 2 + r, |r| <= ln 2 / 2, a polynomial of degree 6 (Cephes expf) for e^r.
 * Below -87.3 the result is 0, above 88.7 infinity; NaN gives NaN.
 */
static inline v16 v16_exp(v16 x) {
    const float log2e = 1.44269504088896341f, ln2_hi = 0.693359375f, ln2_lo = -2.12194440e-4f;
    v16i under = x < v16_set(-87.33654f), over = x > v16_set(88.72283f);
    v16 clamped = v16_select(under, v16_set(-87.0f), v16_select(over, v16_set(88.0f), x));
    /* Adding 1.5 * 2^23 rounds to the nearest integer in the low bits. */
    const float magic = 12582912.0f;
    v16 shifted = v16_fma(clamped, v16_set(log2e), v16_set(magic));
    v16 n = shifted - v16_set(magic);
    v16 r = v16_fma(n, v16_set(-ln2_hi), clamped);
    r = v16_fma(n, v16_set(-ln2_lo), r);
    v16 y = v16_set(1.9875691500e-4f);
    y = v16_fma(y, r, v16_set(1.3981999507e-3f));
    y = v16_fma(y, r, v16_set(8.3334519073e-3f));
    y = v16_fma(y, r, v16_set(4.1665795894e-2f));
    y = v16_fma(y, r, v16_set(1.6666665459e-1f));
    y = v16_fma(y, r, v16_set(5.0000001201e-1f));
    y = v16_fma(y, r * r, r + v16_set(1.0f));
    v16i exponent = ((v16i)shifted - v16i_set(0x4B400000)) << 23;
    v16 result = (v16)((v16i)y + exponent);
    result = v16_select(under, v16_set(0.0f), v16_select(over, v16_set(INFINITY), result));
    return v16_select(x != x, x, result);
}

static inline float expf_scalar(float x) { return v16_exp(v16_set(x))[0]; }

static inline v16 v16_abs(v16 x) { return (v16)((v16i)x & v16i_set(0x7FFFFFFF)); }

/* The magnitude of one value with the sign of another. */
static inline v16 v16_copysign(v16 magnitude, v16 sign) {
    return (v16)(((v16i)magnitude & v16i_set(0x7FFFFFFF)) | ((v16i)sign & v16i_set((int32_t)0x80000000)));
}

/* c[0] + c[1] x + ... + c[degree] x^degree */
static inline __attribute__((always_inline)) v16 v16_polynomial(const float *c, int degree, v16 x) {
    v16 y = v16_set(c[degree]);
    for (int i = degree - 1; i >= 0; i--) y = v16_fma(y, x, v16_set(c[i]));
    return y;
}

/*
 * tanh with a relative error below 4e-7: near zero x + x^3 P(x^2), beyond 0.625 through the exponential. P is the polynomial of
 * degree 4 of least relative error, found by Lawson's iteration on Chebyshev nodes.
 */
static inline v16 v16_tanh(v16 x) {
    static const float p[] = {-3.3333329003e-01f, 1.3332771910e-01f, -5.3851120261e-02f, 2.0997923206e-02f, -6.0975820898e-03f};
    v16 z = v16_abs(x), square = x * x;
    v16 near = v16_fma(x * square, v16_polynomial(p, 4, square), x);
    v16 far = v16_set(1.0f) - v16_set(2.0f) / (v16_exp(z + z) + v16_set(1.0f));
    return v16_select(z < v16_set(0.625f), near, v16_copysign(far, x));
}

/* 1 - erf(z) for z from 1 on, within 2e-8: the exponential of a polynomial found as that of tanh; 0 from 4 on. */
static inline v16 v16_erfc_far(v16 z) {
    static const float q[] = {2.9102537431e-04f, -1.1301197153e+00f, -6.3201344382e-01f, -1.0990972678e-01f, 2.6327521974e-02f,
        -4.7276879875e-03f, 5.9020317609e-04f, -4.5298091426e-05f, 1.5998191106e-06f};
    v16i end = z >= v16_set(4.0f);
    return v16_select(end, v16_set(0.0f), v16_exp(v16_polynomial(q, 8, z)));
}

/* erf(x) / x for |x| < 1, with a relative error below 2e-7; from the square of x. */
static inline v16 v16_erf_near(v16 square) {
    static const float p[] = {1.1283791657e+00f, -3.7612625824e-01f, 1.1283585147e-01f, -2.6853811869e-02f, 5.1883275595e-03f,
        -8.0101925162e-04f, 7.8538576919e-05f};
    return v16_polynomial(p, 6, square);
}

/* erf with an absolute error below 2e-7, and below 2e-7 of the value for |x| < 1. */
static inline v16 v16_erf(v16 x) {
    v16 z = v16_abs(x);
    v16 far = v16_copysign(v16_set(1.0f) - v16_erfc_far(z), x);
    return v16_select(z < v16_set(1.0f), x * v16_erf_near(x * x), far);
}

/* x (1 + erf(x / sqrt 2)) / 2; for negative x from 1 - erf, so that nothing cancels. */
static inline v16 v16_gelu(v16 x) {
    v16 t = x * v16_set(0.70710678118654752f), z = v16_abs(t), half = v16_set(0.5f) * x;
    v16 near = v16_fma(half, t * v16_erf_near(t * t), half);
    v16 beyond = v16_erfc_far(z);
    v16 far = v16_select(x < v16_set(0.0f), half * beyond, v16_fma(-half, beyond, x));
    return v16_select(z < v16_set(1.0f), near, far);
}

/* x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2 = x / (1 + e^(-2 ...)) */
static inline v16 v16_gelu_tanh(v16 x) {
    v16 inner = v16_fma(x * x * x, v16_set(0.044715f), x) * v16_set(-2.0f * 0.79788456080286536f);
    return x / (v16_set(1.0f) + v16_exp(inner));
}

#endif
