/* Part of level.c: normalisations and softmax of rows of float32. Sums are in one order whatever the number of rows. */
#include "vec.h"

typedef double d8 __attribute__((vector_size(64)));
typedef float f8 __attribute__((vector_size(32)));

static inline double d8_sum(d8 v) { return ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7])); }

static inline __attribute__((always_inline)) f8 f8_load(const float *p) {
    f8 v;
    memcpy(&v, p, sizeof v);
    return v;
}

/* target = x + skip + bias over one row, also to `sum`; absent addends and sums are NULL. */
static inline void add_row(const float *x, const float *skip, const float *bias, float *sum, float *target, int size) {
    int i = 0;
    for (; i + 16 <= size; i += 16) {
        v16 v = v16_load(x + i);
        if (skip) v += v16_load(skip + i);
        if (bias) v += v16_load(bias + i);
        v16_store(target + i, v);
        if (sum) v16_store(sum + i, v);
    }
    for (; i < size; i++) {
        float v = x[i];
        if (skip) v += skip[i];
        if (bias) v += bias[i];
        target[i] = v;
        if (sum) sum[i] = v;
    }
}

/* Sum of (v - mean)^2 in double over eight lanes. */
static inline double squares(const float *v, double mean, int size) {
    d8 lanes = {0}, m = {mean, mean, mean, mean, mean, mean, mean, mean};
    double rest = 0;
    int i = 0;
    for (; i + 8 <= size; i += 8) {
        d8 d = __builtin_convertvector(f8_load(v + i), d8) - m;
        lanes += d * d;
    }
    for (; i < size; i++) rest += (v[i] - mean) * (v[i] - mean);
    return d8_sum(lanes) + rest;
}

static inline double total(const float *v, int size) {
    d8 lanes = {0};
    double rest = 0;
    int i = 0;
    for (; i + 8 <= size; i += 8) lanes += __builtin_convertvector(f8_load(v + i), d8);
    for (; i < size; i++) rest += v[i];
    return d8_sum(lanes) + rest;
}

/*
 * y = (x + skip + bias) * scale / sqrt(mean square + epsilon) for rows from .. to - 1, the sum also going to `sum`; absent
 * addends and sums are NULL.
 */
static void KERNEL(rms_norm)(
    const float *x, const float *skip, const float *bias, const float *scale, float *sum, float *y, int size, float epsilon, int from,
    int to) {
    for (int64_t row = from; row < to; row++) {
        int64_t at = row * size;
        float *target = y + at;
        add_row(x + at, skip ? skip + at : NULL, bias, sum ? sum + at : NULL, target, size);
        float inverse = (float)(1.0 / sqrt(squares(target, 0, size) / size + epsilon));
        int i = 0;
        for (; i + 16 <= size; i += 16) v16_store(target + i, v16_load(target + i) * v16_set(inverse) * v16_load(scale + i));
        for (; i < size; i++) target[i] = target[i] * inverse * scale[i];
    }
}

/*
 * y = (v - mean) / sqrt(variance + epsilon) * scale + shift with v = x + skip + bias, for rows from .. to - 1, v also going to `sum`;
 * absent addends, shifts and sums are NULL.
 */
static void KERNEL(layer_norm)(
    const float *x, const float *skip, const float *bias, const float *scale, const float *shift, float *sum, float *y, int size,
    float epsilon, int from, int to) {
    for (int64_t row = from; row < to; row++) {
        int64_t at = row * size;
        float *target = y + at;
        add_row(x + at, skip ? skip + at : NULL, bias, sum ? sum + at : NULL, target, size);
        double mean = total(target, size) / size;
        float inverse = (float)(1.0 / sqrt(squares(target, mean, size) / size + epsilon)), middle = (float)mean;
        int i = 0;
        for (; i + 16 <= size; i += 16) {
            v16 v = (v16_load(target + i) - v16_set(middle)) * v16_set(inverse) * v16_load(scale + i);
            v16_store(target + i, shift ? v + v16_load(shift + i) : v);
        }
        for (; i < size; i++) target[i] = (target[i] - middle) * inverse * scale[i] + (shift ? shift[i] : 0.0f);
    }
}

/* Softmax of rows from .. to - 1. A row with a NaN, or of nothing but -infinity, becomes NaN. */
static void KERNEL(softmax)(const float *x, float *y, int size, int from, int to) {
    const v16 nothing = v16_set(-INFINITY);
    for (int64_t row = from; row < to; row++) {
        const float *source = x + row * size;
        float *target = y + row * size;
        v16 largest = nothing;
        for (int i = 0; i < size; i += 16) {
            v16 v = v16_load_some(source + i, size - i, nothing);
            largest = v16_select(v > largest, v, largest);
        }
        v16 max = v16_set(v16_max(largest)), sums = v16_set(0.0f);
        for (int i = 0; i < size; i += 16) {
            v16 e = v16_exp(v16_load_some(source + i, size - i, nothing) - max);
            sums += e;
            v16_store_some(target + i, e, size - i);
        }
        v16 inverse = v16_set(1.0f / v16_sum(sums));
        for (int i = 0; i < size; i += 16) {
            v16_store_some(target + i, v16_load_some(target + i, size - i, nothing) * inverse, size - i);
        }
    }
}
