/* Part of level.c. */
#include "dot.h"
#include "matmul_nbits.h"

#define INLINE static inline __attribute__((always_inline))

#ifdef __AVX512F__
#define ROWS 8
#else
#define ROWS 4
#endif

typedef _Float16 h16 __attribute__((vector_size(32)));
typedef uint8_t b16 __attribute__((vector_size(16)));

/* One tile's three regions. */
typedef struct {
    const uint8_t *codes;
    const uint8_t *scales;
    const uint8_t *zeros;
} nbits_tile;

INLINE nbits_tile tile_at(const nbits_format *f, const uint8_t *weights, int64_t tile) {
    const uint8_t *codes = weights + tile * nbits_tile_bytes(f);
    const uint8_t *scales = codes + nbits_steps(f) * nbits_step_bytes(f);
    return (nbits_tile){codes, scales, scales + nbits_steps(f) * nbits_scale_bytes(f)};
}

INLINE v16 scales_at(const nbits_format *f, nbits_tile tile, int64_t step) {
    if (!f->half_scales) return v16_load((const float *)tile.scales + step * COLUMNS);
    h16 half;
    memcpy(&half, tile.scales + step * 2 * COLUMNS, sizeof half);
    return __builtin_convertvector(half, v16);
}

INLINE v16 zeros_at(const nbits_format *f, nbits_tile tile, int64_t step) {
    if (f->zeros == ZERO_MIDDLE) return v16_set(f->bits == 4 ? 8.0f : 128.0f);
    if (f->zeros == ZERO_FLOATS) return v16_load((const float *)tile.zeros + step * COLUMNS);
    b16 bytes;
    memcpy(&bytes, tile.zeros + step * COLUMNS, sizeof bytes);
    return __builtin_convertvector(__builtin_convertvector(bytes, v16i), v16);
}

INLINE void finish(const nbits_format *f, const float *bias, float *y, int64_t row, int64_t tile, v16 sum) {
    int64_t column = tile * COLUMNS;
    float *target = y + row * f->n + column;
    if (f->n - column >= COLUMNS) {
        v16_store(target, bias ? sum + v16_load(bias + column) : sum);
        return;
    }
    for (int64_t c = 0; c < f->n - column; c++) target[c] = bias ? sum[c] + bias[column + c] : sum[c];
}

/*
 * `rows` rows of activations in bytes times one tile; they lie in one group of GROUP rows. Sums are kept apart from the
 * result and what the format says is read once, so that nothing in the loop goes through memory.
 */
INLINE void bytes_block(
    const nbits_format *f, nbits_tile tile, const nbits_rows *a, int64_t row, int rows, int bits, int step, v16 *result) {
    int64_t steps = nbits_steps(f), stretches = nbits_stretches(f->k);
    int wide = bits == 8, groups = step / 4, parts = STRETCH / step;
    int middle = f->zeros == ZERO_MIDDLE;
    const int8_t *codes = a->codes + (row / GROUP * stretches * GROUP + row % GROUP) * STRETCH;
    const float *scales = a->scales + row / GROUP * stretches * GROUP + row % GROUP;
    const int32_t *totals = a->sums + row / GROUP * stretches * parts * GROUP + row % GROUP;
    int32_t offset = (wide ? DOT_WIDE_OFFSET : 0) - (middle ? 1 << (bits - 1) : 0);
    v16 sums[ROWS];
    for (int r = 0; r < rows; r++) sums[r] = v16_set(0.0f);
    for (int64_t s = 0; s < steps; s++) {
        const uint8_t *packed = tile.codes + s * (COLUMNS * step * bits / 8);
        const int8_t *values = codes + s / parts * (GROUP * STRETCH) + s % parts * step;
        dot_sum dots[ROWS], more[ROWS];
        int32_t starts[ROWS];
        for (int r = 0; r < rows; r++) {
            starts[r] = totals[s * GROUP + r] * offset;
            dots[r] = dot_start(starts[r], wide);
            more[r] = dot_start(0, wide);
        }
#pragma clang loop unroll(full)
        for (int g = 0; g < groups; g++) {
            codes64 raw = codes_load(packed + (wide ? g : g / 2) * 64);
            codes64 c = wide ? codes_wide(raw) : g % 2 ? codes_high(raw) : codes_low(raw);
#pragma clang loop unroll(full)
            for (int r = 0; r < rows; r++) {
                int32_t a4 = load4(values + r * STRETCH + g * 4);
                if (rows <= 2 && g % 2) more[r] = dot_add(more[r], c, a4, wide);
                else dots[r] = dot_add(dots[r], c, a4, wide);
            }
        }
        v16 d = scales_at(f, tile, s), z = zeros_at(f, tile, s);
        for (int r = 0; r < rows; r++) {
            v16i total = dot_total(dots[r], starts[r], wide);
            if (rows <= 2) total += dot_total(more[r], 0, wide);
            v16 dot = __builtin_convertvector(total, v16);
            if (!middle) dot = v16_fma(-z, v16_set((float)totals[s * GROUP + r]), dot);
            sums[r] = v16_fma(dot, d * v16_set(scales[s / parts * GROUP + r]), sums[r]);
        }
    }
    for (int r = 0; r < rows; r++) result[r] = sums[r];
}

#define BYTES_BLOCK(rows, bits, step) \
    static __attribute__((noinline)) void bytes_##rows##_##bits##_##step( \
        const nbits_format *f, nbits_tile tile, const nbits_rows *a, int64_t row, v16 *sums) { \
        bytes_block(f, tile, a, row, rows, bits, step, sums); \
    }
#if ROWS == 8
BYTES_BLOCK(8, 4, 32)
BYTES_BLOCK(8, 8, 32)
#endif
BYTES_BLOCK(4, 4, 32)
BYTES_BLOCK(4, 8, 32)
BYTES_BLOCK(4, 4, 16)
BYTES_BLOCK(4, 8, 16)
BYTES_BLOCK(2, 4, 32)
BYTES_BLOCK(2, 8, 32)
BYTES_BLOCK(1, 4, 32)
BYTES_BLOCK(1, 8, 32)
BYTES_BLOCK(1, 4, 16)
BYTES_BLOCK(1, 8, 16)

typedef void bytes_function(const nbits_format *, nbits_tile, const nbits_rows *, int64_t, v16 *);

/* The widest block that `rows` rows fill; its rows in *taken. */
static bytes_function *bytes_block_for(const nbits_format *f, int64_t rows, int *taken) {
    int four = f->bits == 4;
    if (f->step == 16) {
        *taken = rows >= 4 ? 4 : 1;
        return rows >= 4 ? (four ? bytes_4_4_16 : bytes_4_8_16) : four ? bytes_1_4_16 : bytes_1_8_16;
    }
#if ROWS == 8
    if (rows >= 8) {
        *taken = 8;
        return four ? bytes_8_4_32 : bytes_8_8_32;
    }
#endif
    if (rows >= 4) {
        *taken = 4;
        return four ? bytes_4_4_32 : bytes_4_8_32;
    }
    *taken = rows >= 2 ? 2 : 1;
    return rows >= 2 ? (four ? bytes_2_4_32 : bytes_2_8_32) : four ? bytes_1_4_32 : bytes_1_8_32;
}

static void KERNEL(nbits_bytes)(
    const nbits_format *f, const uint8_t *weights, const nbits_rows *a, const float *bias, float *y, int64_t rows, int from, int to) {
    v16 sums[ROWS];
    for (int64_t t = from; t < to; t++) {
        nbits_tile tile = tile_at(f, weights, t);
        for (int64_t row = 0; row < rows;) {
            int taken;
            bytes_function *block = bytes_block_for(f, rows - row, &taken);
            block(f, tile, a, row, sums);
            for (int r = 0; r < taken; r++) finish(f, bias, y, row + r, t, sums[r]);
            row += taken;
        }
    }
}

/* `count` values of k from the start of step `s`. */
INLINE void floats_step(
    const nbits_format *f, const nbits_tile *tiles, const float *a, int64_t s, int rows, int width, int bits, int count, v16 (*sums)[4]) {
    int per_vector = bits == 8 ? 4 : 8, step_bytes = COLUMNS * f->step * bits / 8;
    v16 d[4], z[4];
    for (int t = 0; t < width; t++) {
        d[t] = scales_at(f, tiles[t], s);
        z[t] = zeros_at(f, tiles[t], s);
    }
    for (int i = 0; i < count; i++) {
        int vector = i / per_vector, shift = bits == 8 ? i % 4 * 8 : i % 4 * 8 + (i % 8 / 4) * 4;
        for (int t = 0; t < width; t++) {
            v16i lanes;
            memcpy(&lanes, tiles[t].codes + s * step_bytes + vector * 64, sizeof lanes);
            v16i code = (lanes >> shift) & v16i_set((1 << bits) - 1);
            v16 weight = (__builtin_convertvector(code, v16) - z[t]) * d[t];
            for (int r = 0; r < rows; r++) {
                sums[r][t] = v16_fma(v16_set(a[r * (int64_t)f->k + s * f->step + i]), weight, sums[r][t]);
            }
        }
    }
}

INLINE void floats_block(
    const nbits_format *f, const nbits_tile *tiles, const float *a, int rows, int width, int bits, v16 (*result)[4]) {
    v16 sums[4][4];
    for (int r = 0; r < rows; r++) {
        for (int t = 0; t < width; t++) sums[r][t] = v16_set(0.0f);
    }
    int64_t whole = f->k / f->step;
    int rest = (int)(f->k - whole * f->step);
    for (int64_t s = 0; s < whole; s++) {
        floats_step(f, tiles, a, s, rows, width, bits, 16, sums);
        if (f->step == STRETCH) {
            nbits_tile second[4];
            for (int t = 0; t < width; t++) {
                second[t] = tiles[t];
                second[t].codes += COLUMNS * 16 * bits / 8;
            }
            floats_step(f, second, a + 16, s, rows, width, bits, 16, sums);
        }
    }
    if (rest) floats_step(f, tiles, a, whole, rows, width, bits, rest, sums);
    for (int r = 0; r < rows; r++) {
        for (int t = 0; t < width; t++) result[r][t] = sums[r][t];
    }
}

#define FLOATS_BLOCK(rows, width, bits) \
    static __attribute__((noinline)) void floats_##rows##_##width##_##bits( \
        const nbits_format *f, const nbits_tile *tiles, const float *a, v16 (*sums)[4]) { \
        floats_block(f, tiles, a, rows, width, bits, sums); \
    }
FLOATS_BLOCK(4, 2, 4)
FLOATS_BLOCK(4, 2, 8)
FLOATS_BLOCK(4, 1, 4)
FLOATS_BLOCK(4, 1, 8)
FLOATS_BLOCK(1, 4, 4)
FLOATS_BLOCK(1, 4, 8)
FLOATS_BLOCK(1, 1, 4)
FLOATS_BLOCK(1, 1, 8)

static void KERNEL(nbits_floats)(
    const nbits_format *f, const uint8_t *weights, const nbits_rows *a, const float *bias, float *y, int64_t rows, int from, int to) {
    v16 sums[4][4];
    int four = f->bits == 4;
    int wide = rows >= 4 ? 2 : 4;
    for (int64_t t = from; t < to;) {
        int width = to - t >= wide ? wide : 1;
        nbits_tile tiles[4];
        for (int i = 0; i < width; i++) tiles[i] = tile_at(f, weights, t + i);
        for (int64_t row = 0; row < rows;) {
            int taken = rows - row >= 4 ? 4 : 1, tiles_taken = taken == 1 ? (width == 4 ? 4 : 1) : width;
            const float *values = a->values + row * f->k;
            for (int i = 0; i < width; i += tiles_taken) {
                if (taken == 4 && tiles_taken == 2) (four ? floats_4_2_4 : floats_4_2_8)(f, tiles + i, values, sums);
                else if (taken == 4) (four ? floats_4_1_4 : floats_4_1_8)(f, tiles + i, values, sums);
                else if (tiles_taken == 4) (four ? floats_1_4_4 : floats_1_4_8)(f, tiles + i, values, sums);
                else (four ? floats_1_1_4 : floats_1_1_8)(f, tiles + i, values, sums);
                for (int r = 0; r < taken; r++) {
                    for (int w = 0; w < tiles_taken; w++) finish(f, bias, y, row + r, t + i + w, sums[r][w]);
                }
            }
            row += taken;
        }
        t += width;
    }
}


/* Round to nearest, ties to even, for |x| < 2^22. */
static v16i v16_rint(v16 x) { return (v16i)(x + v16_set(12582912.0f)) - v16i_set(0x4B400000); }

typedef int8_t s16 __attribute__((vector_size(16)));

/*
 * q = rint(a * 127 / max|a|) over stretches of 32, scale max|a| / 127. A stretch with a value that is not finite gets the
 * scale NaN, so that the product is NaN; one whose largest value is below 2^-100 counts as zeros.
 */
static void KERNEL(nbits_quantise)(const float *values, int64_t k, int step, int8_t *codes, float *scales, int32_t *sums, int64_t from, int64_t to) {
    int64_t stretches = nbits_stretches(k);
    int halves = STRETCH / step;
    for (int64_t row = from; row < to; row++) {
        for (int64_t s = 0; s < stretches; s++) {
            const float *source = values + row * k + s * STRETCH;
            float padded[STRETCH];
            if (k - s * STRETCH < STRETCH) {
                for (int i = 0; i < STRETCH; i++) padded[i] = i < k - s * STRETCH ? source[i] : 0.0f;
                source = padded;
            }
            v16 x[2] = {v16_load(source), v16_load(source + 16)};
            v16 first = v16_abs(x[0]), second = v16_abs(x[1]);
            float max = v16_max(v16_select(first > second, first, second));
            v16i odd = (x[0] - x[0] != v16_set(0.0f)) | (x[1] - x[1] != v16_set(0.0f));
            float inverse = max >= 0x1p-100f ? 127.0f / max : 0.0f;
            int64_t at = (row / GROUP * stretches + s) * GROUP + row % GROUP;
            int finite = __builtin_reduce_or(odd) == 0;
            scales[at] = finite ? max / 127.0f : NAN;
            int32_t total[2];
            for (int h = 0; h < 2; h++) {
                v16i q = finite ? v16_rint(x[h] * v16_set(inverse)) : v16i_set(0);
                s16 bytes = __builtin_convertvector(q, s16);
                memcpy(codes + at * STRETCH + h * 16, &bytes, sizeof bytes);
                total[h] = __builtin_reduce_add(q);
            }
            if (halves == 2) {
                int64_t first = (row / GROUP * stretches + s) * 2 * GROUP + row % GROUP;
                sums[first] = total[0];
                sums[first + GROUP] = total[1];
            } else {
                sums[at] = total[0] + total[1];
            }
        }
    }
}
