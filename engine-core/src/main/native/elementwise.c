/* Part of level.c. */
#include "elementwise.h"
#include "vec.h"

/*
 * y = (x + skip + bias) * scale / sqrt(mean square + epsilon) for rows from .. to - 1, the sum also going to `sum`; absent
 * addends and sums are NULL. Squares are added in double over eight lanes, in one order whatever the number of rows.
 */
static void KERNEL(rms_norm)(
    const float *x, const float *skip, const float *bias, const float *scale, float *sum, float *y, int size, float epsilon, int from,
    int to) {
    typedef double d8 __attribute__((vector_size(64)));
    typedef float f8 __attribute__((vector_size(32)));
    for (int64_t row = from; row < to; row++) {
        const float *source = x + row * size;
        float *target = y + row * size;
        d8 squares = {0};
        double rest = 0;
        int i = 0;
        for (; i + 8 <= size; i += 8) {
            f8 v, w;
            memcpy(&v, source + i, sizeof v);
            if (skip) {
                memcpy(&w, skip + row * size + i, sizeof w);
                v += w;
            }
            if (bias) {
                memcpy(&w, bias + i, sizeof w);
                v += w;
            }
            memcpy(target + i, &v, sizeof v);
            if (sum) memcpy(sum + row * size + i, &v, sizeof v);
            d8 d = __builtin_convertvector(v, d8);
            squares += d * d;
        }
        for (; i < size; i++) {
            float v = source[i];
            if (skip) v += skip[row * size + i];
            if (bias) v += bias[i];
            target[i] = v;
            if (sum) sum[row * size + i] = v;
            rest += (double)v * v;
        }
        double total = ((squares[0] + squares[4]) + (squares[2] + squares[6])) + ((squares[1] + squares[5]) + (squares[3] + squares[7]));
        float inverse = (float)(1.0 / sqrt((total + rest) / size + epsilon));
        for (i = 0; i + 16 <= size; i += 16) v16_store(target + i, v16_load(target + i) * v16_set(inverse) * v16_load(scale + i));
        for (; i < size; i++) target[i] = target[i] * inverse * scale[i];
    }
}

static inline __attribute__((always_inline)) v16 apply(int op, v16 a, v16 b) {
    switch (op) {
        case OP_ADD: return a + b;
        case OP_SUB: return a - b;
        case OP_MUL: return a * b;
        case OP_DIV: return a / b;
        case OP_SIGMOID: return v16_set(1.0f) / (v16_set(1.0f) + v16_exp(-a));
        default: return a / (v16_set(1.0f) + v16_exp(-a));
    }
}

static inline __attribute__((always_inline)) void apply_all(int op, const float *a, const float *b, float *y, int64_t from, int64_t to) {
    int64_t i = from;
    for (; i + 16 <= to; i += 16) v16_store(y + i, apply(op, v16_load(a + i), b ? v16_load(b + i) : v16_set(0.0f)));
    if (i < to) {
        float rest[2][16] = {{0}};
        for (int64_t j = i; j < to; j++) {
            rest[0][j - i] = a[j];
            rest[1][j - i] = b ? b[j] : 0.0f;
        }
        v16_store(rest[0], apply(op, v16_load(rest[0]), v16_load(rest[1])));
        for (int64_t j = i; j < to; j++) y[j] = rest[0][j - i];
    }
}

/* Elements from .. to - 1; b is NULL for operators of one operand. Elements are computed alike wherever they lie. */
static void KERNEL(elementwise)(int op, const float *a, const float *b, float *y, int64_t from, int64_t to) {
    switch (op) {
        case OP_ADD: apply_all(OP_ADD, a, b, y, from, to); break;
        case OP_SUB: apply_all(OP_SUB, a, b, y, from, to); break;
        case OP_MUL: apply_all(OP_MUL, a, b, y, from, to); break;
        case OP_DIV: apply_all(OP_DIV, a, b, y, from, to); break;
        case OP_SIGMOID: apply_all(OP_SIGMOID, a, b, y, from, to); break;
        default: apply_all(OP_SILU, a, b, y, from, to); break;
    }
}
