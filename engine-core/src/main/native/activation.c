/* Part of level.c, behind elementwise.c. */
#include "activation.h"

static inline __attribute__((always_inline)) v16 bounded(v16 x, v16 low, v16 high) {
    x = v16_select(x < low, low, x);
    return v16_select(x > high, high, x);
}

static inline __attribute__((always_inline)) v16 activated(int kind, v16 x, v16 alpha, v16 beta) {
    const v16 zero = v16_set(0.0f), one = v16_set(1.0f);
    switch (kind) {
        case ACT_RELU: return apply(OP_RELU, x, x);
        case ACT_TANH: return apply(OP_TANH, x, x);
        case ACT_SIGMOID: return apply(OP_SIGMOID, x, x);
        case ACT_LEAKY_RELU: return v16_select(x < zero, alpha * x, x);
        case ACT_CLIP: return bounded(x, alpha, beta);
        case ACT_HARD_SIGMOID: return bounded(v16_fma(alpha, x, beta), zero, one);
        case ACT_HARD_SWISH: return x * bounded(v16_fma(x, v16_set(1.0f / 6), v16_set(0.5f)), zero, one);
        case ACT_QUICK_GELU: return x / (one + v16_exp(-alpha * x));
        default: return x;
    }
}

/* The last vector is filled up, so that elements are computed alike anywhere. */
static inline __attribute__((always_inline)) void activate_all(int kind, float alpha, float beta, const float *x, float *y, int64_t count) {
    v16 a = v16_set(alpha), b = v16_set(beta);
    int64_t i = 0;
    for (; i + 16 <= count; i += 16) v16_store(y + i, activated(kind, v16_load(x + i), a, b));
    if (i < count) {
        float rest[16] = {0};
        memcpy(rest, x + i, (count - i) * sizeof(float));
        v16_store(rest, activated(kind, v16_load(rest), a, b));
        memcpy(y + i, rest, (count - i) * sizeof(float));
    }
}

/* `count` elements of y from those of x, which may be the same. */
static void KERNEL(activate)(int kind, float alpha, float beta, const float *x, float *y, int64_t count) {
    switch (kind) {
#define ONE(k) case k: activate_all(k, alpha, beta, x, y, count); break;
        ONE(ACT_RELU)
        ONE(ACT_TANH)
        ONE(ACT_SIGMOID)
        ONE(ACT_LEAKY_RELU)
        ONE(ACT_CLIP)
        ONE(ACT_HARD_SIGMOID)
        ONE(ACT_HARD_SWISH)
        ONE(ACT_QUICK_GELU)
#undef ONE
        default: memmove(y, x, count * sizeof(float)); break;
    }
}
