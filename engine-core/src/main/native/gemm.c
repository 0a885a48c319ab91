/* Part of level.c. */
#include "gemm.h"
#include "vec.h"

#define INLINE static inline __attribute__((always_inline))

/* Rows and panels whose sums fill the registers; a single row has the registers for more panels. */
#if defined(__AVX512F__)
#define BLOCK_ROWS 8
#define BLOCK_PANELS 3
#elif defined(__AVX2__) || defined(__aarch64__)
#define BLOCK_ROWS 6
#define BLOCK_PANELS 1
#else
#define BLOCK_ROWS 2
#define BLOCK_PANELS 1
#endif
#define LINE_PANELS 4

/* Values of k between two visits of C: a panel's share stays in the cache while all rows pass. */
#define STRETCH_K 256

/* From so many rows on, panels of unpacked B are copied together first. */
#define COPY_ROWS 16

/* Floats of A that the second cache holds, and what blocks of rows divide. */
#define CACHED_FLOATS (192 << 10)
#define ROW_MULTIPLE 24

/* Some panels of B over `count` values of k. */
typedef struct {
    const float *values;
    int64_t step;  /* floats from one k to the next */
    int64_t panel; /* floats from one panel to the next */
    int64_t count;
} gemm_panels;

/* Where a block's sums go. */
typedef struct {
    const gemm_job *job;
    float *c; /* row 0, column 0 of C */
    int64_t row, column;
    int first, last; /* whether k begins here, and whether it ends here */
} gemm_place;

/* Whether C is the sums as they are. */
INLINE int is_plain(const gemm_job *j) { return j->alpha == 1 && !j->addend; }

INLINE v16 finished(const gemm_job *j, v16 sum, int64_t row, int64_t column, int64_t columns) {
    sum *= v16_set((float)j->alpha);
    if (!j->addend) return sum;
    const float *addend = (const float *)(intptr_t)j->addend + row * j->addend_row + column * j->addend_column;
    v16 d = j->addend_column ? v16_load_some(addend, columns, v16_set(0.0f)) : v16_set(*addend);
    return v16_fma(d, v16_set((float)j->beta), sum);
}

INLINE void block(gemm_place at, const float *a, gemm_panels b, const int rows, const int panels) {
    const gemm_job *j = at.job;
    float *c = at.c + at.row * j->c_row + at.column;
    v16 sums[BLOCK_ROWS][LINE_PANELS];
    const float *lines[BLOCK_ROWS];
#pragma clang loop unroll(full)
    for (int r = 0; r < rows; r++) {
        lines[r] = a + r * j->a_row;
        /* Sums arrive at the end, in lines that no pattern of reads announces. */
#pragma clang loop unroll(full)
        for (int p = 0; p < panels; p++) __builtin_prefetch(c + r * j->c_row + p * PANEL, 1);
#pragma clang loop unroll(full)
        for (int p = 0; p < panels; p++) {
            sums[r][p] = at.first ? v16_set(0.0f) : v16_load_some(c + r * j->c_row + p * PANEL, j->n - at.column - p * PANEL, v16_set(0.0f));
        }
    }
    const float *w = b.values;
    int64_t offset = 0;
    for (int64_t i = 0; i < b.count; i++) {
        v16 columns[LINE_PANELS];
#pragma clang loop unroll(full)
        for (int p = 0; p < panels; p++) columns[p] = v16_load(w + p * b.panel);
#pragma clang loop unroll(full)
        for (int r = 0; r < rows; r++) {
            v16 x = v16_set(lines[r][offset]);
#pragma clang loop unroll(full)
            for (int p = 0; p < panels; p++) sums[r][p] = v16_fma(x, columns[p], sums[r][p]);
        }
        w += b.step;
        offset += j->a_column;
    }
#pragma clang loop unroll(full)
    for (int r = 0; r < rows; r++) {
#pragma clang loop unroll(full)
        for (int p = 0; p < panels; p++) {
            int64_t column = at.column + p * PANEL, left = j->n - column;
            v16 value = at.last ? finished(j, sums[r][p], at.row + r, column, left) : sums[r][p];
            v16_store_some(c + r * j->c_row + p * PANEL, value, left);
        }
    }
}

typedef void block_function(gemm_place, const float *, gemm_panels);

#define BLOCK(rows, panels) \
    static __attribute__((noinline)) void block_##rows##_##panels(gemm_place at, const float *a, gemm_panels b) { \
        block(at, a, b, rows, panels); \
    }
BLOCK(1, 1)
BLOCK(1, 2)
BLOCK(1, 3)
BLOCK(1, 4)
BLOCK(2, 1)
#if BLOCK_ROWS > 2
BLOCK(4, 1)
#endif
#if BLOCK_ROWS == 6
BLOCK(6, 1)
#endif
#if BLOCK_ROWS == 8
BLOCK(8, 1)
BLOCK(2, 2)
BLOCK(4, 2)
BLOCK(8, 2)
BLOCK(2, 3)
BLOCK(4, 3)
BLOCK(8, 3)
#endif

/* The largest block that `rows` rows fill; its rows in *taken. */
static block_function *block_of(int64_t rows, int panels, int *taken) {
    static block_function *const one[] = {block_1_1, block_1_2, block_1_3, block_1_4};
#if BLOCK_ROWS == 8
    static block_function *const more[][BLOCK_PANELS] = {
        {block_2_1, block_2_2, block_2_3}, {block_4_1, block_4_2, block_4_3}, {block_8_1, block_8_2, block_8_3}};
#elif BLOCK_ROWS == 6
    static block_function *const more[][BLOCK_PANELS] = {{block_2_1}, {block_4_1}, {block_6_1}};
#else
    static block_function *const more[][BLOCK_PANELS] = {{block_2_1}};
#endif
    static const int sizes[] = {2, 4, BLOCK_ROWS};
    for (int size = (int)(sizeof more / sizeof *more) - 1; size >= 0; size--) {
        if (rows >= sizes[size]) {
            *taken = sizes[size];
            return more[size][panels - 1];
        }
    }
    *taken = 1;
    return one[panels - 1];
}

/* Exchanges the second lanes of each row with the first ones of the row `distance` behind it. */
#define EXCHANGE(distance, low, high) \
    _Pragma("clang loop unroll(full)") for (int r = 0; r < 16; r++) { \
        if (r & distance) continue; \
        v16 x = rows[r], y = rows[r + distance]; \
        rows[r] = __builtin_shufflevector(x, y, low); \
        rows[r + distance] = __builtin_shufflevector(x, y, high); \
    }
#define LIST(...) __VA_ARGS__

/* Turns a matrix of 16 by 16, exchanging its off-diagonal quarters, then theirs, down to single elements. */
INLINE void turn(v16 *rows) {
    EXCHANGE(8, LIST(0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23), LIST(8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31))
    EXCHANGE(4, LIST(0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24, 25, 26, 27), LIST(4, 5, 6, 7, 20, 21, 22, 23, 12, 13, 14, 15, 28, 29, 30, 31))
    EXCHANGE(2, LIST(0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29), LIST(2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31))
    EXCHANGE(1, LIST(0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28, 14, 30), LIST(1, 17, 3, 19, 5, 21, 7, 23, 9, 25, 11, 27, 13, 29, 15, 31))
}

/* Columns 0 .. columns - 1 of a panel for `count` values of k, zeros behind them. */
static void copy_panel(const float *b, int64_t row, int64_t column, int64_t count, int64_t columns, float *target) {
    if (columns > PANEL) columns = PANEL;
    if (column == 1) {
        for (int64_t i = 0; i < count; i++) v16_store(target + i * PANEL, v16_load_some(b + i * row, columns, v16_set(0.0f)));
        return;
    }
    int64_t turned = row == 1 ? count / 16 * 16 : 0;
    for (int64_t i = 0; i < turned; i += 16) {
        v16 rows[16];
        for (int64_t c = 0; c < PANEL; c++) rows[c] = c < columns ? v16_load(b + c * column + i) : v16_set(0.0f);
        turn(rows);
        for (int64_t r = 0; r < 16; r++) v16_store(target + (i + r) * PANEL, rows[r]);
    }
    for (int64_t i = turned; i < count; i++) {
        for (int64_t c = 0; c < PANEL; c++) target[i * PANEL + c] = c < columns ? b[i * row + c * column] : 0.0f;
    }
}

/* Rows row_from .. row_to - 1 and panels from .. to - 1 of C; each panel passes all the rows once. */
static void multiply_block(
    const gemm_job *j, const float *a, const float *b, float *c, int64_t row_from, int64_t row_to, int64_t from, int64_t to) {
    float copy[LINE_PANELS * STRETCH_K * PANEL] __attribute__((aligned(64)));
    int64_t rows = row_to - row_from;
    int most = rows == 1 ? LINE_PANELS : BLOCK_PANELS;
    for (int64_t panel = from; panel < to;) {
        int panels = to - panel < most ? (int)(to - panel) : most;
        int64_t column = panel * PANEL, start = 0;
        do {
            int64_t count = j->k - start < STRETCH_K ? j->k - start : STRETCH_K;
            gemm_panels w = {b + panel * PANEL * j->k + start * PANEL, PANEL, PANEL * j->k, count};
            if (!j->packed) {
                w = (gemm_panels){b + column * j->b_column + start * j->b_row, j->b_row, PANEL, count};
                if (rows >= COPY_ROWS || j->b_column != 1 || column + panels * PANEL > j->n) {
                    for (int p = 0; p < panels; p++) {
                        copy_panel(
                            w.values + p * PANEL * j->b_column, j->b_row, j->b_column, count, j->n - column - p * PANEL,
                            copy + p * PANEL * count);
                    }
                    w = (gemm_panels){copy, PANEL, PANEL * count, count};
                }
            }
            gemm_place at = {j, c, row_from, column, start == 0, start + count == j->k};
            while (at.row < row_to) {
                int taken;
                block_function *run = block_of(row_to - at.row, panels, &taken);
                run(at, a + at.row * j->a_row + start * j->a_column, w);
                at.row += taken;
            }
            start += count;
        } while (start < j->k);
        panel += panels;
    }
}

/* The same in blocks of rows, few enough that those of A stay in the cache while panels pass. */
static void multiply_by_vectors(
    const gemm_job *j, const float *a, const float *b, float *c, int64_t row_from, int64_t row_to, int64_t from, int64_t to) {
    int64_t most = CACHED_FLOATS / (j->k + 1) / ROW_MULTIPLE * ROW_MULTIPLE;
    if (most < ROW_MULTIPLE) most = ROW_MULTIPLE;
    for (int64_t row = row_from; row < row_to; row += most) {
        multiply_block(j, a, b, c, row, row_to - row < most ? row_to : row + most, from, to);
    }
}

#if defined(__AMX_BF16__)
#include "gemm_amx.h"
#endif

/* Packs panels from .. to - 1 of B as the job's `packed` says; only the set with tiles is asked for tiles. */
static void KERNEL(gemm_pack)(const gemm_job *j, const float *b, float *target, int64_t from, int64_t to) {
#if defined(__AMX_BF16__)
    if (j->packed == PACKED_TILES) {
        pack_tiles(j, b, (uint8_t *)target, from, to);
        return;
    }
#endif
    for (int64_t p = from; p < to; p++) {
        copy_panel(b + p * PANEL * j->b_column, j->b_row, j->b_column, j->k, j->n - p * PANEL, target + p * PANEL * j->k);
    }
}

/* Rows row_from .. row_to - 1 and panels from .. to - 1 of C. */
static void KERNEL(gemm)(
    const gemm_job *j, const float *a, const float *b, float *c, int64_t row_from, int64_t row_to, int64_t from, int64_t to) {
#if defined(__AMX_BF16__)
    if (multiply_by_tiles(j, a, b, c, row_from, row_to, from, to)) return;
#endif
    multiply_by_vectors(j, a, b, c, row_from, row_to, from, to);
}
