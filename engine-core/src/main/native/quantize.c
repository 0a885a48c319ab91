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

/* A line of elements, with the scale and zero point of all of them, or of 16 where each has its own. */
typedef struct {
    int64_t start, count;
    v16 scale;
    v16i zero;
} scaled_line;

/* Takes the scales and zero points from `at` on, of which `count` are there. */
static inline __attribute__((always_inline)) void take_scales(const quantize_job *j, int64_t at, int64_t count, scaled_line *line) {
    const float *scales = (const float *)(intptr_t)j->scales + at;
    const uint8_t *zeros = (const uint8_t *)(intptr_t)j->zeros;
    line->scale = j->step ? v16_load_some(scales, count, v16_set(1.0f)) : v16_set(*scales);
    line->zero = v16i_set(0);
    if (zeros) {
        line->zero = load_codes(zeros + at, j->step ? count : 1, (int)j->is_signed);
        if (!j->step) line->zero = v16i_set(line->zero[0]);
    }
}

static inline __attribute__((always_inline)) scaled_line line_of(const quantize_job *j, int64_t index) {
    scaled_line line = {.start = index * j->line};
    line.count = j->count - line.start < j->line ? j->count - line.start : j->line;
    if (!j->step) take_scales(j, index % j->channels, 1, &line);
    return line;
}

static inline __attribute__((always_inline)) void quantize_lines(
    const quantize_job *j, const float *x, uint8_t *y, int64_t from, int64_t to, const int is_signed) {
    for (int64_t index = from; index < to; index++) {
        scaled_line line = line_of(j, index);
        for (int64_t i = 0; i < line.count; i += 16) {
            if (j->step) take_scales(j, i, line.count - i, &line);
            v16 v = v16_load_some(x + line.start + i, line.count - i, v16_set(0.0f)) / line.scale;
            store_codes(y + line.start + i, to_codes_about(v, line.zero, is_signed), line.count - i);
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
    for (int64_t index = from; index < to; index++) {
        scaled_line line = line_of(j, index);
        for (int64_t i = 0; i < line.count; i += 16) {
            if (j->step) take_scales(j, i, line.count - i, &line);
            v16i centred = load_codes(x + line.start + i, line.count - i, (int)j->is_signed) - line.zero;
            v16_store_some(y + line.start + i, __builtin_convertvector(centred, v16) * line.scale, line.count - i);
        }
    }
}
