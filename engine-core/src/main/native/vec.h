/*
 * Vectors of 16 floats in the compiler's own vector types: one source serves every instruction set, each translation unit
 * being compiled with its flags.
 */
#ifndef KINDLING_VEC_H
#define KINDLING_VEC_H

#include <math.h>
#include <stdint.h>
#include <string.h>

typedef float v16 __attribute__((vector_size(64)));
typedef int32_t v16i __attribute__((vector_size(64)));

static inline v16 v16_set(float x) { return (v16){x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x}; }
static inline v16i v16i_set(int32_t x) { return (v16i){x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x}; }

static inline v16 v16_load(const float *p) {
    v16 v;
    memcpy(&v, p, sizeof v);
    return v;
}

static inline void v16_store(float *p, v16 v) { memcpy(p, &v, sizeof v); }

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

static inline v16 v16_tanh(v16 x) { return v16_set(1.0f) - v16_set(2.0f) / (v16_exp(x + x) + v16_set(1.0f)); }

#endif
