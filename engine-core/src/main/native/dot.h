/*
 * Integer dot products of 16 columns with 4 values of k each: unsigned codes times signed activations, exact on every
 * instruction set.
 *
 * codes64 holds 64 bytes, byte 4 c + j being column c's code at k + j. Codes are at most 15 (narrow) or 255 (wide). A
 * narrow sum runs over at most 32 values of k, which keeps its 16-bit sums below 2^15 (8 * 2 * 15 * 127 = 30480); wide sums have 32 bits.
 * Where the set multiplies signed bytes only, wide codes are taken less DOT_WIDE_OFFSET, which the caller adds back.
 */
#ifndef KINDLING_DOT_H
#define KINDLING_DOT_H

#include "vec.h"

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#define DOT_WIDE_OFFSET 0

static inline int32_t load4(const int8_t *p) {
    int32_t x;
    memcpy(&x, p, 4);
    return x;
}

#if defined(__AVX512BW__)

typedef __m512i codes64;
typedef __m512i dot_sum;

static inline codes64 codes_load(const uint8_t *p) { return _mm512_loadu_si512(p); }
static inline codes64 codes_low(codes64 c) { return _mm512_and_si512(c, _mm512_set1_epi8(15)); }
static inline codes64 codes_high(codes64 c) { return _mm512_and_si512(_mm512_srli_epi16(c, 4), _mm512_set1_epi8(15)); }
static inline codes64 codes_wide(codes64 c) { return c; }

#ifdef __AVX512VNNI__
static inline dot_sum dot_start(int32_t start, int wide) { return _mm512_set1_epi32(start); }
static inline dot_sum dot_add(dot_sum sum, codes64 c, int32_t a, int wide) { return _mm512_dpbusd_epi32(sum, c, _mm512_set1_epi32(a)); }
static inline v16i dot_total(dot_sum sum, int32_t start, int wide) { return (v16i)sum; }
#else
static inline dot_sum dot_start(int32_t start, int wide) { return _mm512_setzero_si512(); }
static inline dot_sum dot_add(dot_sum sum, codes64 c, int32_t a, int wide) {
    __m512i x = _mm512_set1_epi32(a);
    if (!wide) return _mm512_add_epi16(sum, _mm512_maddubs_epi16(c, x));
    __m512i even = _mm512_madd_epi16(_mm512_and_si512(c, _mm512_set1_epi16(255)), _mm512_srai_epi16(_mm512_slli_epi16(x, 8), 8));
    __m512i odd = _mm512_madd_epi16(_mm512_srli_epi16(c, 8), _mm512_srai_epi16(x, 8));
    return _mm512_add_epi32(sum, _mm512_add_epi32(even, odd));
}
static inline v16i dot_total(dot_sum sum, int32_t start, int wide) {
    __m512i total = wide ? sum : _mm512_madd_epi16(sum, _mm512_set1_epi16(1));
    return (v16i)total + v16i_set(start);
}
#endif

#elif defined(__AVX2__)

typedef struct { __m256i half[2]; } codes64;
typedef struct { __m256i half[2]; } dot_sum;

static inline codes64 codes_load(const uint8_t *p) {
    return (codes64){{_mm256_loadu_si256((const __m256i *)p), _mm256_loadu_si256((const __m256i *)(p + 32))}};
}
static inline codes64 codes_low(codes64 c) {
    for (int i = 0; i < 2; i++) c.half[i] = _mm256_and_si256(c.half[i], _mm256_set1_epi8(15));
    return c;
}
static inline codes64 codes_high(codes64 c) {
    for (int i = 0; i < 2; i++) c.half[i] = _mm256_and_si256(_mm256_srli_epi16(c.half[i], 4), _mm256_set1_epi8(15));
    return c;
}
static inline codes64 codes_wide(codes64 c) { return c; }
static inline dot_sum dot_start(int32_t start, int wide) { return (dot_sum){{_mm256_setzero_si256(), _mm256_setzero_si256()}}; }
static inline dot_sum dot_add(dot_sum sum, codes64 c, int32_t a, int wide) {
    __m256i x = _mm256_set1_epi32(a);
    for (int i = 0; i < 2; i++) {
        if (!wide) {
            sum.half[i] = _mm256_add_epi16(sum.half[i], _mm256_maddubs_epi16(c.half[i], x));
        } else {
            __m256i even =
                _mm256_madd_epi16(_mm256_and_si256(c.half[i], _mm256_set1_epi16(255)), _mm256_srai_epi16(_mm256_slli_epi16(x, 8), 8));
            __m256i odd = _mm256_madd_epi16(_mm256_srli_epi16(c.half[i], 8), _mm256_srai_epi16(x, 8));
            sum.half[i] = _mm256_add_epi32(sum.half[i], _mm256_add_epi32(even, odd));
        }
    }
    return sum;
}
static inline v16i dot_total(dot_sum sum, int32_t start, int wide) {
    v16i total;
    for (int i = 0; i < 2; i++) {
        __m256i half = wide ? sum.half[i] : _mm256_madd_epi16(sum.half[i], _mm256_set1_epi16(1));
        memcpy((char *)&total + 32 * i, &half, 32);
    }
    return total + v16i_set(start);
}

#elif defined(__aarch64__)

#undef DOT_WIDE_OFFSET
#define DOT_WIDE_OFFSET 128

typedef struct { int8x16_t quarter[4]; } codes64;

static inline codes64 codes_load(const uint8_t *p) {
    codes64 c;
    for (int i = 0; i < 4; i++) c.quarter[i] = vreinterpretq_s8_u8(vld1q_u8(p + 16 * i));
    return c;
}
static inline codes64 codes_low(codes64 c) {
    for (int i = 0; i < 4; i++) c.quarter[i] = vandq_s8(c.quarter[i], vdupq_n_s8(15));
    return c;
}
static inline codes64 codes_high(codes64 c) {
    for (int i = 0; i < 4; i++) c.quarter[i] = vreinterpretq_s8_u8(vshrq_n_u8(vreinterpretq_u8_s8(c.quarter[i]), 4));
    return c;
}
static inline codes64 codes_wide(codes64 c) {
    for (int i = 0; i < 4; i++) c.quarter[i] = veorq_s8(c.quarter[i], vdupq_n_s8(-128));
    return c;
}

#ifdef __ARM_FEATURE_DOTPROD
typedef struct { int32x4_t quarter[4]; } dot_sum;

static inline dot_sum dot_start(int32_t start, int wide) {
    int32x4_t x = vdupq_n_s32(start);
    return (dot_sum){{x, x, x, x}};
}
static inline dot_sum dot_add(dot_sum sum, codes64 c, int32_t a, int wide) {
    int8x16_t x = vreinterpretq_s8_s32(vdupq_n_s32(a));
    for (int i = 0; i < 4; i++) sum.quarter[i] = vdotq_s32(sum.quarter[i], c.quarter[i], x);
    return sum;
}
static inline v16i dot_total(dot_sum sum, int32_t start, int wide) {
    v16i total;
    memcpy(&total, &sum, sizeof total);
    return total;
}
#else
/* Sums of neighbouring pairs; each column has two of them. */
typedef struct { int32x4_t eighth[8]; } dot_sum;

static inline dot_sum dot_start(int32_t start, int wide) {
    dot_sum sum;
    for (int i = 0; i < 8; i++) sum.eighth[i] = vdupq_n_s32(0);
    return sum;
}
static inline dot_sum dot_add(dot_sum sum, codes64 c, int32_t a, int wide) {
    int8x8_t x = vreinterpret_s8_s32(vdup_n_s32(a));
    for (int i = 0; i < 4; i++) {
        sum.eighth[2 * i] = vpadalq_s16(sum.eighth[2 * i], vmull_s8(vget_low_s8(c.quarter[i]), x));
        sum.eighth[2 * i + 1] = vpadalq_s16(sum.eighth[2 * i + 1], vmull_s8(vget_high_s8(c.quarter[i]), x));
    }
    return sum;
}
static inline v16i dot_total(dot_sum sum, int32_t start, int wide) {
    v16i total;
    for (int i = 0; i < 4; i++) {
        int32x4_t quarter = vpaddq_s32(sum.eighth[2 * i], sum.eighth[2 * i + 1]);
        memcpy((char *)&total + 16 * i, &quarter, 16);
    }
    return total + v16i_set(start);
}
#endif

#else

/* Plain C over 32-bit lanes, each holding one column's four codes. */
typedef v16i codes64;
typedef v16i dot_sum;

static inline codes64 codes_load(const uint8_t *p) {
    codes64 c;
    memcpy(&c, p, sizeof c);
    return c;
}
static inline codes64 codes_low(codes64 c) { return c & v16i_set(0x0f0f0f0f); }
static inline codes64 codes_high(codes64 c) { return (c >> 4) & v16i_set(0x0f0f0f0f); }
static inline codes64 codes_wide(codes64 c) { return c; }
static inline dot_sum dot_start(int32_t start, int wide) { return v16i_set(start); }
static inline dot_sum dot_add(dot_sum sum, codes64 c, int32_t a, int wide) {
    for (int j = 0; j < 4; j++) sum += ((c >> (8 * j)) & v16i_set(255)) * v16i_set((int8_t)(a >> (8 * j)));
    return sum;
}
static inline v16i dot_total(dot_sum sum, int32_t start, int wide) { return sum; }

#endif

#endif
