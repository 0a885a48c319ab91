/* Part of level.c. */
#include "elementwise.h"
#include "vec.h"

static inline __attribute__((always_inline)) v16 apply(int op, v16 a, v16 b) {
    switch (op) {
        case OP_ADD: return a + b;
        case OP_SUB: return a - b;
        case OP_MUL: return a * b;
        case OP_DIV: return a / b;
        case OP_SIGMOID: return v16_set(1.0f) / (v16_set(1.0f) + v16_exp(-a));
        case OP_SILU: return a / (v16_set(1.0f) + v16_exp(-a));
        case OP_RELU: return v16_select(a < v16_set(0.0f), v16_set(0.0f), a);
        case OP_TANH: return v16_tanh(a);
        case OP_ERF: return v16_erf(a);
        case OP_GELU: return v16_gelu(a);
        default: return v16_gelu_tanh(a);
    }
}

static inline __attribute__((always_inline)) v16 operand(const float *p, int64_t i, int step) {
    return step ? v16_load(p + i) : v16_set(*p);
}

/* `count` elements; an operand of step 0 is one number. The last vector is filled up, so that elements are computed alike anywhere. */
static inline __attribute__((always_inline)) void apply_all(
    int op, const float *a, int step_a, const float *b, int step_b, float *y, int64_t count) {
    int64_t i = 0;
    for (; i + 16 <= count; i += 16) v16_store(y + i, apply(op, operand(a, i, step_a), operand(b, i, step_b)));
    if (i < count) {
        float rest[2][16] = {{0}};
        for (int64_t j = i; j < count; j++) {
            rest[0][j - i] = a[j * step_a];
            rest[1][j - i] = b[j * step_b];
        }
        v16_store(rest[0], apply(op, v16_load(rest[0]), v16_load(rest[1])));
        memcpy(y + i, rest[0], (count - i) * sizeof(float));
    }
}

static inline __attribute__((always_inline)) void apply_steps(
    int op, const float *a, int step_a, const float *b, int step_b, float *y, int64_t count) {
    if (step_a && step_b) {
        apply_all(op, a, 1, b, 1, y, count);
    } else if (step_a) {
        apply_all(op, a, 1, b, 0, y, count);
    } else {
        apply_all(op, a, 0, b, step_b, y, count);
    }
}

static void apply_op(int op, const float *a, int step_a, const float *b, int step_b, float *y, int64_t count) {
    switch (op) {
        case OP_ADD: apply_steps(OP_ADD, a, step_a, b, step_b, y, count); break;
        case OP_SUB: apply_steps(OP_SUB, a, step_a, b, step_b, y, count); break;
        case OP_MUL: apply_steps(OP_MUL, a, step_a, b, step_b, y, count); break;
        case OP_DIV: apply_steps(OP_DIV, a, step_a, b, step_b, y, count); break;
        case OP_SIGMOID: apply_all(OP_SIGMOID, a, 1, a, 1, y, count); break;
        case OP_SILU: apply_all(OP_SILU, a, 1, a, 1, y, count); break;
        case OP_RELU: apply_all(OP_RELU, a, 1, a, 1, y, count); break;
        case OP_TANH: apply_all(OP_TANH, a, 1, a, 1, y, count); break;
        case OP_ERF: apply_all(OP_ERF, a, 1, a, 1, y, count); break;
        case OP_GELU: apply_all(OP_GELU, a, 1, a, 1, y, count); break;
        default: apply_all(OP_GELU_TANH, a, 1, a, 1, y, count); break;
    }
}

/* Elements from .. to - 1 of operands of one shape; b is NULL for operators of one operand. */
static void KERNEL(elementwise)(int op, const float *a, const float *b, float *y, int64_t from, int64_t to) {
    apply_op(op, a + from, 1, b ? b + from : NULL, 1, y + from, to - from);
}

/* Stretches from .. to - 1 of operands that are broadcast to the shape of y. */
static void KERNEL(broadcast)(int op, const broadcast_job *j, const float *a, const float *b, float *y, int64_t from, int64_t to) {
    for (int64_t s = from; s < to; s++) {
        int64_t rest = s, at_a = 0, at_b = 0;
        for (int64_t axis = 0; axis < j->rank; axis++) {
            int64_t place = rest % j->size[axis];
            rest /= j->size[axis];
            at_a += place * j->stride_a[axis];
            at_b += place * j->stride_b[axis];
        }
        apply_op(op, a + at_a, (int)j->step_a, b + at_b, (int)j->step_b, y + s * j->stretch, j->stretch);
    }
}
