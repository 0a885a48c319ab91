/*
 * Products with weights of 4 or 8 bits in blocks along k: com.microsoft::MatMulNBits.
 *
 * Weights are packed in tiles of 16 columns. A tile holds, for every step of k (32 values, or 16 where blocks have 16),
 * first all codes, then all scales, then all zero points, and is padded to 64 bytes. Codes of a step: vectors of 64 bytes,
 * byte 4 c + j being column c at k = 4 v + j for 8 bits; for 4 bits the low half is at k = 8 v + j, the high half at
 * k = 8 v + 4 + j. Codes behind the last k or column are 0, and so are their scales and zero points.
 *
 * An output element depends on its own row and column alone, by one sequence of operations: the same bits for any number
 * of rows and any split of the work.
 */
#ifndef KINDLING_MATMUL_NBITS_H
#define KINDLING_MATMUL_NBITS_H

#include <stdint.h>

#define COLUMNS 16
#define STRETCH 32 /* activations that share a scale */
#define GROUP 8    /* rows of activations that lie together */

enum { ZERO_MIDDLE, ZERO_BYTES, ZERO_FLOATS };

typedef struct {
    int32_t n, k;
    int32_t bits;        /* 4 or 8 */
    int32_t step;        /* 32, or 16 where a block has 16 values */
    int32_t half_scales; /* 1: scales are float16, else float32 */
    int32_t zeros;       /* ZERO_MIDDLE: 2^(bits - 1) for all; else how zero points are stored */
} nbits_format;

/* Where the operator's inputs lie; row c of each belongs to column c. */
typedef struct {
    const uint8_t *codes;
    const void *scales;  /* float32 or float16 */
    const void *zeros;   /* NULL, packed integers of `bits` bits, or float32 */
    int32_t block;       /* values of k to a scale: a power of two from 16 */
    int32_t scales_are_half;
} nbits_source;

/* Rows of activations, as floats, and as signed bytes with their scales and sums. */
typedef struct {
    const float *values;   /* [rows, k] */
    const int8_t *codes;   /* [rows / 8, stretches, 8, 32], zeros behind k; the last group may have fewer rows */
    const float *scales;   /* [rows / 8, stretches, 8] */
    const int32_t *sums;   /* [rows / 8, stretches * 32 / step, 8] sums of codes */
} nbits_rows;

static inline int64_t nbits_stretches(int64_t k) { return (k + STRETCH - 1) / STRETCH; }
static inline int64_t nbits_steps(const nbits_format *f) { return (f->k + f->step - 1) / f->step; }
static inline int64_t nbits_tiles(const nbits_format *f) { return (f->n + COLUMNS - 1) / COLUMNS; }
static inline int64_t nbits_step_bytes(const nbits_format *f) { return (int64_t)COLUMNS * f->step * f->bits / 8; }
static inline int64_t nbits_scale_bytes(const nbits_format *f) { return COLUMNS * (f->half_scales ? 2 : 4); }
static inline int64_t nbits_zero_bytes(const nbits_format *f) {
    return f->zeros == ZERO_MIDDLE ? 0 : f->zeros == ZERO_BYTES ? COLUMNS : 4 * COLUMNS;
}
static inline int64_t nbits_tile_bytes(const nbits_format *f) {
    return (nbits_steps(f) * (nbits_step_bytes(f) + nbits_scale_bytes(f) + nbits_zero_bytes(f)) + 63) / 64 * 64;
}

/* Whether all values are exactly float16. */
int nbits_fit_half(const float *values, int64_t count);

/* Packs tiles from .. to - 1. */
void nbits_pack(const nbits_format *f, const nbits_source *source, uint8_t *target, int from, int to);

#endif
