/*
 * Part of gemm.c: blocks of the product on tiles of AMX, in the precision of float32 or close to it.
 *
 * The tile unit multiplies bfloat16 and adds in float32. A float32 is the sum of three bfloat16, x = high + middle + low, the first two
 * being rounded; of the nine products of two such sums the six largest are added, which leaves out less than 2^-24 of the
 * product. Where the job says that operands may be rounded, they are high + middle, and three products of four are added, which leaves
 * out at most 3 * 2^-16; B may then be packed as tiles, which take as many bytes as its floats. An element of C is summed over k in
 * steps of 32, each step adding its products in one order: the same bits for any number of rows and any split of the work. Numbers that have no such sum (infinity, NaN, and what rounds to infinity) are left
 * to the vector unit, the rows of A and the panels of B that hold them being computed again. Below 2^-110 the low parts, and below
 * 2^-126 all, are taken as 0.
 */
#include "memory.h"
#include <immintrin.h>

#define TILE_ROWS 16
#define STEP 32       /* values of k that one tile holds: pairs (i, i + 16) side by side */
#define PART_BYTES 1024
#define ALL_PARTS 3 /* high, middle and low */
#define STEP_BYTES(parts) ((parts) * PART_BYTES)
#define PAIR 2        /* tiles of A and of B that are multiplied at once */

/* Most values of k, of rows and of panels that are taken together: A's tiles stay in the second cache, while panels pass. */
#define AMX_K 512
#define AMX_ROWS 768
#define AMX_A_BYTES (1200 << 10)
#define AMX_PANELS 1024

/* Where tiles of B lie: those of a panel and step side by side, high before middle. */
typedef struct {
    const uint8_t *tiles;
    int64_t step;  /* bytes from one step to the next */
    int64_t panel; /* bytes from one panel to the next */
} tile_panels;

/* From this magnitude on, as bits, a float has no sum of three parts. */
#define NO_PARTS 0x7F7F8000

typedef struct {
    uint8_t a[AMX_A_BYTES + PAIR * STEP_BYTES(ALL_PARTS) * (AMX_K / STEP)];
    uint8_t b[PAIR * STEP_BYTES(ALL_PARTS) * (AMX_K / STEP)];
    float edge[PAIR * TILE_ROWS * PAIR * PANEL]; /* a block of C of which not all is there */
    float copy[AMX_K * PANEL]; /* a panel of unpacked B */
    uint8_t odd_row[AMX_ROWS], odd_panel[AMX_PANELS];
} amx_scratch;

/* The parts of 32 values as rows of tiles, PART_BYTES apart; *peak is raised to the largest magnitude. */
INLINE void split(v16 x, v16 y, const int parts, uint8_t *target, v16i *peak) {
    const v16i upper = v16i_set((int32_t)0xFFFF0000), half = v16i_set(0x8000);
    v16i a = (v16i)v16_abs(x), b = (v16i)v16_abs(y);
    *peak = __builtin_elementwise_max(*peak, __builtin_elementwise_max(a, b));
#pragma clang loop unroll(full)
    for (int part = 0; part < parts; part++) {
        v16i p = (v16i)x, q = (v16i)y;
        if (part < 2) {
            p = (p + half) & upper;
            q = (q + half) & upper;
            x -= (v16)p;
            y -= (v16)q;
        }
        v16i pair = (v16i)((v16u)p >> 16) | (q & upper);
        memcpy(target + part * PART_BYTES, &pair, sizeof pair);
    }
}

INLINE int has_no_parts(v16i peak) { return __builtin_reduce_max(peak) >= NO_PARTS; }

/* 32 values of k of a row of A, zeros behind the last. */
INLINE void load_step(const gemm_job *j, const float *a, int64_t count, v16 *x, v16 *y) {
    if (j->a_column == 1 && count >= STEP) {
        *x = v16_load(a);
        *y = v16_load(a + 16);
        return;
    }
    float some[STEP] = {0};
    for (int64_t i = 0; i < STEP && i < count; i++) some[i] = a[i * j->a_column];
    *x = v16_load(some);
    *y = v16_load(some + 16);
}

/* Rows of A as tiles, the last filled up with zeros; whether a row has numbers without parts is or-ed into `odd`. */
INLINE void split_rows(
    const gemm_job *j, const float *a, int64_t rows, int64_t count, const int parts, uint8_t *target, uint8_t *odd) {
    for (int64_t first = 0; first < rows; first += TILE_ROWS) {
        int some = rows - first < TILE_ROWS ? (int)(rows - first) : TILE_ROWS;
        v16i peaks[TILE_ROWS] = {0};
        for (int64_t k = 0; k < count; k += STEP) {
            const float *from = a + first * j->a_row + k * j->a_column;
            for (int r = 0; r < TILE_ROWS; r++) {
                v16 x = v16_set(0.0f), y = x;
                if (r < some) load_step(j, from + r * j->a_row, count - k, &x, &y);
                split(x, y, parts, target + r * 64, &peaks[r]);
            }
            target += STEP_BYTES(parts);
        }
        for (int r = 0; r < some; r++) odd[first + r] |= has_no_parts(peaks[r]);
    }
}

/* A panel as tiles, `stride` bytes from one step to the next. */
INLINE void split_panel(
    const float *values, int64_t step, int64_t count, const int parts, uint8_t *target, int64_t stride, uint8_t *odd) {
    v16i peak = v16i_set(0);
    for (int64_t k = 0; k < count; k += STEP) {
        for (int64_t i = k; i < k + 16; i++) {
            v16 x = i < count ? v16_load(values + i * step) : v16_set(0.0f);
            v16 y = i + 16 < count ? v16_load(values + (i + 16) * step) : v16_set(0.0f);
            split(x, y, parts, target + k / STEP * stride + (i - k) * 64, &peak);
        }
    }
    *odd |= has_no_parts(peak);
}

/*
 * The products of a step for tiles 0, 1 of A and of B, small ones first, in an order that changes one operand at a time: loads of tiles
 * can take as long as products. Tiles 4 and 5 are A's, 6 and 7 B's.
 */
#define LOAD_A(part) \
    _tile_loadd(4, a + (part) * PART_BYTES, 64); \
    if (tall) _tile_loadd(5, a + a_tile + (part) * PART_BYTES, 64);
#define LOAD_B(part) \
    _tile_loadd(6, tiles + (part) * PART_BYTES, 64); \
    if (wide) _tile_loadd(7, tiles + b.panel + (part) * PART_BYTES, 64);
#define MULTIPLY \
    _tile_dpbf16ps(0, 4, 6); \
    if (wide) _tile_dpbf16ps(1, 4, 7); \
    if (tall) _tile_dpbf16ps(2, 5, 6); \
    if (tall && wide) _tile_dpbf16ps(3, 5, 7);

/* Adds the product of up to two tiles of A and of B over all steps to the tiles at c, which are zero before the first. */
INLINE void multiply_tiles(
    float *c, int64_t c_row, int first, const uint8_t *a, tile_panels b, int64_t steps, const int parts, const int tall, const int wide) {
    int64_t a_tile = steps * STEP_BYTES(parts);
    const uint8_t *tiles = b.tiles;
    if (first) {
        _tile_zero(0);
        if (wide) _tile_zero(1);
        if (tall) _tile_zero(2);
        if (tall && wide) _tile_zero(3);
    } else {
        _tile_loadd(0, c, c_row * 4);
        if (wide) _tile_loadd(1, c + PANEL, c_row * 4);
        if (tall) _tile_loadd(2, c + TILE_ROWS * c_row, c_row * 4);
        if (tall && wide) _tile_loadd(3, c + TILE_ROWS * c_row + PANEL, c_row * 4);
    }
    for (int64_t s = 0; s < steps; s++) {
        if (parts == ALL_PARTS) {
            LOAD_A(2) LOAD_B(0) MULTIPLY
            LOAD_A(1) MULTIPLY
            LOAD_B(1) MULTIPLY
            LOAD_A(0) MULTIPLY
            LOAD_B(2) MULTIPLY
            LOAD_B(0) MULTIPLY
        } else {
            LOAD_A(1) LOAD_B(0) MULTIPLY
            LOAD_A(0) MULTIPLY
            LOAD_B(1) MULTIPLY
        }
        a += STEP_BYTES(parts);
        tiles += b.step;
    }
    _tile_stored(0, c, c_row * 4);
    if (wide) _tile_stored(1, c + PANEL, c_row * 4);
    if (tall) _tile_stored(2, c + TILE_ROWS * c_row, c_row * 4);
    if (tall && wide) _tile_stored(3, c + TILE_ROWS * c_row + PANEL, c_row * 4);
}

/* Bytes of a panel of PACKED_TILES. */
INLINE int64_t packed_tiles(int64_t k) { return (k + STEP - 1) / STEP * STEP_BYTES(2); }

/* One block of tiles: its sums come from C unless k begins, and go there, finished where k ends. */
INLINE void tiles(
    gemm_place at, amx_scratch *own, const uint8_t *a, tile_panels b, int64_t steps, int64_t rows, const int parts, const int tall, const int wide) {
    const gemm_job *j = at.job;
    int64_t left = j->n - at.column - wide * PANEL;
    float *c = at.c + at.row * j->c_row + at.column;
    if (left >= PANEL && rows >= (1 + tall) * TILE_ROWS) {
        for (int r = 0; r < (1 + tall) * TILE_ROWS; r++) {
            for (int p = 0; p <= wide; p++) __builtin_prefetch(c + r * j->c_row + p * PANEL, 1);
        }
        multiply_tiles(c, j->c_row, at.first, a, b, steps, parts, tall, wide);
        if (!at.last || is_plain(j)) return;
        for (int r = 0; r < (1 + tall) * TILE_ROWS; r++) {
#pragma clang loop unroll(full)
            for (int p = 0; p <= wide; p++) {
                float *to = c + r * j->c_row + p * PANEL;
                v16_store(to, finished(j, v16_load(to), at.row + r, at.column + p * PANEL, PANEL));
            }
        }
        return;
    }
    float *edge = own->edge;
    for (int r = 0; r < (1 + tall) * TILE_ROWS && r < rows && !at.first; r++) {
        for (int p = 0; p <= wide; p++) {
            v16_store(edge + r * PAIR * PANEL + p * PANEL, v16_load_some(c + r * j->c_row + p * PANEL, j->n - at.column - p * PANEL, v16_set(0.0f)));
        }
    }
    multiply_tiles(edge, PAIR * PANEL, at.first, a, b, steps, parts, tall, wide);
    for (int r = 0; r < (1 + tall) * TILE_ROWS && r < rows; r++) {
        for (int p = 0; p <= wide; p++) {
            int64_t column = at.column + p * PANEL;
            v16 sum = v16_load(edge + r * PAIR * PANEL + p * PANEL);
            if (at.last) sum = finished(j, sum, at.row + r, column, j->n - column);
            v16_store_some(c + r * j->c_row + p * PANEL, sum, j->n - column);
        }
    }
}

typedef void tiles_function(gemm_place, amx_scratch *, const uint8_t *, tile_panels, int64_t, int64_t);

#define TILES(parts, tall, wide) \
    static __attribute__((noinline)) void tiles_##parts##_##tall##_##wide( \
        gemm_place at, amx_scratch *own, const uint8_t *a, tile_panels b, int64_t steps, int64_t rows) { \
        tiles(at, own, a, b, steps, rows, parts, tall, wide); \
    }
#define TILES_OF(parts) TILES(parts, 0, 0) TILES(parts, 0, 1) TILES(parts, 1, 0) TILES(parts, 1, 1)
TILES_OF(2)
TILES_OF(3)

/* By parts - 2, whether two tiles of A are there, and whether two of B are. */
static tiles_function *const tiles_of[2][2][2] = {
    {{tiles_2_0_0, tiles_2_0_1}, {tiles_2_1_0, tiles_2_1_1}}, {{tiles_3_0_0, tiles_3_0_1}, {tiles_3_1_0, tiles_3_1_1}}};

/* The tile unit's shape: eight tiles of 16 rows of 64 bytes. Intel SDM, LDTILECFG. */
static void configure_tiles(void) {
    uint8_t config[64] __attribute__((aligned(64))) = {1};
    for (int tile = 0; tile < 8; tile++) {
        config[16 + 2 * tile] = 64;
        config[48 + tile] = TILE_ROWS;
    }
    _tile_loadconfig(config);
}

/* Panels panel .. panel + count - 1 of B, at most PAIR, for k from `start` on, as tiles. */
INLINE tile_panels panels_of(
    const gemm_job *j, const float *b, int64_t panel, int count, int64_t start, int64_t depth, const int parts, amx_scratch *own, uint8_t *odd) {
    if (j->packed == PACKED_TILES) {
        int64_t size = packed_tiles(j->k);
        return (tile_panels){(const uint8_t *)b + panel * size + start / STEP * STEP_BYTES(2), STEP_BYTES(2), size};
    }
    tile_panels made = {own->b, PAIR * STEP_BYTES(parts), STEP_BYTES(parts)};
    for (int p = 0; p < count; p++) {
        int64_t column = (panel + p) * PANEL;
        uint8_t *target = own->b + p * made.panel;
        if (j->packed) {
            split_panel(b + column * j->k + start * PANEL, PANEL, depth, parts, target, made.step, odd + p);
        } else {
            const float *values = b + column * j->b_column + start * j->b_row;
            if (j->b_column == 1 && column + PANEL <= j->n) {
                split_panel(values, j->b_row, depth, parts, target, made.step, odd + p);
            } else {
                copy_panel(values, j->b_row, j->b_column, depth, j->n - column, own->copy);
                split_panel(own->copy, PANEL, depth, parts, target, made.step, odd + p);
            }
        }
    }
    return made;
}

/* One row by vectors over B's tiles, whose values are the sums of their parts. */
static void multiply_row_by_packed_tiles(
    const gemm_job *j, const float *a, const uint8_t *b, float *c, int64_t row, int64_t from, int64_t to) {
    for (int64_t panel = from; panel < to; panel++) {
        v16 sum = v16_set(0.0f);
        for (int64_t k = 0; k < j->k; k++) {
            const uint8_t *pairs = b + panel * packed_tiles(j->k) + k / STEP * STEP_BYTES(2) + k % 16 * 64;
            v16u high, middle;
            memcpy(&high, pairs, sizeof high);
            memcpy(&middle, pairs + PART_BYTES, sizeof middle);
            int shift = k % STEP < 16 ? 16 : 0;
            v16 value = (v16)(high << shift & 0xFFFF0000) + (v16)(middle << shift & 0xFFFF0000);
            sum = v16_fma(v16_set(a[row * j->a_row + k * j->a_column]), value, sum);
        }
        int64_t column = panel * PANEL, columns = j->n - column;
        v16_store_some(c + row * j->c_row + column, finished(j, sum, row, column, columns), columns);
    }
}

/* As gemm_pack, as tiles of two parts; all values have parts. */
static void pack_tiles(const gemm_job *j, const float *b, uint8_t *target, int64_t from, int64_t to) {
    float copy[STEP * PANEL] __attribute__((aligned(64)));
    uint8_t none = 0;
    for (int64_t p = from; p < to; p++) {
        for (int64_t k = 0; k < j->k; k += STEP) {
            int64_t count = j->k - k < STEP ? j->k - k : STEP;
            copy_panel(b + p * PANEL * j->b_column + k * j->b_row, j->b_row, j->b_column, count, j->n - p * PANEL, copy);
            split_panel(copy, PANEL, count, 2, target + p * packed_tiles(j->k) + k / STEP * STEP_BYTES(2), 0, &none);
        }
    }
}

/* Rows of C from row_from on, few enough for A's tiles to stay in the cache, and at most AMX_PANELS panels. */
INLINE void multiply_rows(
    const gemm_job *j, const float *a, const float *b, float *c, int64_t row_from, int64_t rows, int64_t from, int64_t to, int64_t depth,
    const int parts, amx_scratch *own) {
    memset(own->odd_row, 0, sizeof own->odd_row);
    memset(own->odd_panel, 0, sizeof own->odd_panel);
    int64_t start = 0;
    do {
        int64_t count = j->k - start < depth ? j->k - start : depth, steps = (count + STEP - 1) / STEP;
        split_rows(j, a + row_from * j->a_row + start * j->a_column, rows, count, parts, own->a, own->odd_row);
        for (int64_t panel = from; panel < to; panel += PAIR) {
            int wide = panel + 1 < to;
            tile_panels some = panels_of(j, b, panel, 1 + wide, start, count, parts, own, own->odd_panel + panel - from);
            gemm_place at = {j, c, row_from, panel * PANEL, start == 0, start + count == j->k};
            for (int64_t row = 0; row < rows; row += PAIR * TILE_ROWS) {
                int tall = row + TILE_ROWS < rows;
                at.row = row_from + row;
                tiles_of[parts - 2][tall][wide](at, own, own->a + row / TILE_ROWS * steps * STEP_BYTES(parts), some, steps, rows - row);
            }
        }
        start += count;
    } while (start < j->k);
    for (int64_t panel = from; panel < to; panel++) {
        if (own->odd_panel[panel - from]) multiply_by_vectors(j, a, b, c, row_from, row_from + rows, panel, panel + 1);
    }
    for (int64_t row = 0; row < rows; row++) {
        if (!own->odd_row[row]) continue;
        if (j->packed == PACKED_TILES) {
            multiply_row_by_packed_tiles(j, a, (const uint8_t *)b, c, row_from + row, from, to);
        } else {
            multiply_by_vectors(j, a, b, c, row_from + row, row_from + row + 1, from, to);
        }
    }
}

static __attribute__((noinline)) void multiply_rows_of_all_parts(
    const gemm_job *j, const float *a, const float *b, float *c, int64_t row_from, int64_t rows, int64_t from, int64_t to, int64_t depth,
    amx_scratch *own) {
    multiply_rows(j, a, b, c, row_from, rows, from, to, depth, ALL_PARTS, own);
}

static __attribute__((noinline)) void multiply_rows_of_two_parts(
    const gemm_job *j, const float *a, const float *b, float *c, int64_t row_from, int64_t rows, int64_t from, int64_t to, int64_t depth,
    amx_scratch *own) {
    multiply_rows(j, a, b, c, row_from, rows, from, to, depth, 2, own);
}

/* As gemm; 0 where there is no memory. */
static int multiply_by_tiles(
    const gemm_job *j, const float *a, const float *b, float *c, int64_t row_from, int64_t row_to, int64_t from, int64_t to) {
    amx_scratch *own = scratch_take(sizeof *own);
    if (!own && j->packed == PACKED_TILES) {
        for (int64_t row = row_from; row < row_to; row++) multiply_row_by_packed_tiles(j, a, (const uint8_t *)b, c, row, from, to);
        return 1;
    }
    if (!own) return 0;
    int64_t stretches = (j->k + AMX_K - 1) / AMX_K;
    int64_t depth = stretches ? ((j->k + stretches - 1) / stretches + STEP - 1) / STEP * STEP : STEP;
    int64_t most = AMX_A_BYTES / (depth / STEP * STEP_BYTES(j->rounded ? 2 : ALL_PARTS)) * TILE_ROWS / (PAIR * TILE_ROWS) * (PAIR * TILE_ROWS);
    if (most > AMX_ROWS) most = AMX_ROWS;
    configure_tiles();
    for (int64_t panel = from; panel < to; panel += AMX_PANELS) {
        for (int64_t row = row_from; row < row_to; row += most) {
            int64_t rows = row_to - row < most ? row_to - row : most, end = to - panel < AMX_PANELS ? to : panel + AMX_PANELS;
            (j->rounded ? multiply_rows_of_two_parts : multiply_rows_of_all_parts)(j, a, b, c, row, rows, panel, end, depth, own);
        }
    }
    _tile_release();
    scratch_return(own);
    return 1;
}
