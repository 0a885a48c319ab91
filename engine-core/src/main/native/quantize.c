/* Part of level.c. */
#include "quantize.h"
#include "vec.h"

typedef uint8_t u8x16 __attribute__((vector_size(16)));
typedef int8_t s8x16 __attribute__((vector_size(16)));
typedef uint8_t u8x32 __attribute__((vector_size(32)));
typedef uint16_t u16x16 __attribute__((vector_size(32)));
typedef uint16_t u16x32 __attribute__((vector_size(64)));

/* The nearest bytes to x + zero, x being rounded half to even first; NaN gives 0. */
static inline __attribute__((always_inline)) v16i to_codes_about(v16 x, v16i zero, int is_signed) {
    const v16 end = v16_set(1024.0f), magic = v16_set(12582912.0f); /* adding 1.5 * 2^23 rounds */
    v16i none = x != x;
    x = v16_select(x > end, end, v16_select(x < -end, -end, x));
    v16i code = (v16i)(x + magic) - v16i_set(0x4B400000) + zero;
    code = __builtin_elementwise_min(__builtin_elementwise_max(code, v16i_set(is_signed ? -128 : 0)), v16i_set(is_signed ? 127 : 255));
    return ~none & code;
}

static inline __attribute__((always_inline)) v16i to_codes(v16 x, int32_t zero, int is_signed) {
    return to_codes_about(x, v16i_set(zero), is_signed);
}

/* The first `count` bytes, at most 16. */
static inline __attribute__((always_inline)) void store_codes(uint8_t *target, v16i codes, int64_t count) {
    u8x16 bytes = __builtin_convertvector(codes, u8x16);
    memcpy(target, &bytes, count < 16 ? count : 16);
}

static inline __attribute__((always_inline)) v16i load_codes(const uint8_t *p, int64_t count, int is_signed) {
    u8x16 bytes = {0};
    memcpy(&bytes, p, count < 16 ? count : 16);
    s8x16 with_sign = (s8x16)bytes;
    return is_signed ? __builtin_convertvector(with_sign, v16i) : __builtin_convertvector(bytes, v16i);
}

/* Smallest and largest of elements from .. to - 1 and 0; both NaN where one of them is. */
static void KERNEL(range)(const float *x, float *result, int64_t from, int64_t to) {
    v16 low = v16_set(0.0f), high = low;
    v16i none = v16i_set(0);
    for (int64_t i = from; i < to; i += 16) {
        v16 v = v16_load_some(x + i, to - i, v16_set(0.0f));
        none |= v != v;
        low = v16_select(v < low, v, low);
        high = v16_select(v > high, v, high);
    }
    float smallest = 0, largest = 0;
    for (int lane = 0; lane < 16; lane++) {
        smallest = none[lane] ? NAN : low[lane] < smallest ? low[lane] : smallest;
        largest = none[lane] ? NAN : high[lane] > largest ? high[lane] : largest;
    }
    result[0] = smallest;
    result[1] = largest;
}

/* The scales and zero points of 16 elements from `at` on, of which `count` are there. */
static inline __attribute__((always_inline)) void element_scales(const quantize_job *j, int64_t at, int64_t count, v16 *scale, v16i *zero) {
    const float *scales = (const float *)(intptr_t)j->scales + at;
    const uint8_t *zeros = (const uint8_t *)(intptr_t)j->zeros;
    *scale = j->step ? v16_load_some(scales, count, v16_set(1.0f)) : v16_set(*scales);
    *zero = v16i_set(0);
    if (zeros) {
        *zero = load_codes(zeros + at, j->step ? count : 1, (int)j->is_signed);
        if (!j->step) *zero = v16i_set((*zero)[0]);
    }
}

/* Elements of line l: where they begin, and how many are there. */
static inline __attribute__((always_inline)) int64_t line_at(const quantize_job *j, int64_t line, int64_t *start) {
    *start = line * j->line;
    return j->count - *start < j->line ? j->count - *start : j->line;
}

static inline __attribute__((always_inline)) void quantize_lines(
    const quantize_job *j, const float *x, uint8_t *y, int64_t from, int64_t to, const int is_signed) {
    for (int64_t line = from; line < to; line++) {
        int64_t start, count = line_at(j, line, &start), channel = j->step ? 0 : line % j->channels;
        v16 scale = v16_set(1.0f);
        v16i zero = v16i_set(0);
        if (!j->step) element_scales(j, channel, 1, &scale, &zero);
        for (int64_t i = 0; i < count; i += 16) {
            if (j->step) element_scales(j, i, count - i, &scale, &zero);
            v16 v = v16_load_some(x + start + i, count - i, v16_set(0.0f)) / scale;
            store_codes(y + start + i, to_codes_about(v, zero, is_signed), count - i);
        }
    }
}

/* Lines from .. to - 1. */
static void KERNEL(quantize)(const quantize_job *j, const float *x, uint8_t *y, int64_t from, int64_t to) {
    if (j->is_signed) {
        quantize_lines(j, x, y, from, to, 1);
    } else {
        quantize_lines(j, x, y, from, to, 0);
    }
}

/* Lines from .. to - 1. */
static void KERNEL(dequantize)(const quantize_job *j, const uint8_t *x, float *y, int64_t from, int64_t to) {
    for (int64_t line = from; line < to; line++) {
        int64_t start, count = line_at(j, line, &start), channel = j->step ? 0 : line % j->channels;
        v16 scale = v16_set(1.0f);
        v16i zero = v16i_set(0);
        if (!j->step) element_scales(j, channel, 1, &scale, &zero);
        for (int64_t i = 0; i < count; i += 16) {
            if (j->step) element_scales(j, i, count - i, &scale, &zero);
            v16i centred = load_codes(x + start + i, count - i, (int)j->is_signed) - zero;
            v16_store_some(y + start + i, __builtin_convertvector(centred, v16) * scale, count - i);
        }
    }
}
