/* Part of level.c, behind gemm.c and quantize.c. */
#include "dot.h"
#include "integer.h"

#if defined(__AVX512F__)
#define INTEGER_ROWS 8
#define INTEGER_PANELS 3
#elif defined(__AVX2__) || defined(__aarch64__)
#define INTEGER_ROWS 4
#define INTEGER_PANELS 1
#else
#define INTEGER_ROWS 2
#define INTEGER_PANELS 1
#endif

/* Rows from .. to - 1 of A. */
static void KERNEL(integer_rows)(const integer_matrix *m, int64_t k, uint8_t *target, int64_t from, int64_t to) {
    int64_t bytes = integer_row_bytes(k);
    uint8_t turn = m->turned ? 0x80 : 0;
    for (int64_t r = from; r < to; r++) {
        const uint8_t *values = m->values + r * m->row;
        int8_t *row = (int8_t *)target + r * bytes + INTEGER_HEAD;
        int32_t sum = 0;
        if (m->column == 1) {
            for (int64_t i = 0; i < k; i++) {
                row[i] = (int8_t)(values[i] ^ turn);
                sum += row[i];
            }
        } else {
            for (int64_t i = 0; i < k; i++) {
                row[i] = (int8_t)(values[i * m->column] ^ turn);
                sum += row[i];
            }
        }
        memset(row + k, 0, integer_depth(k) - k);
        memcpy(row - INTEGER_HEAD, &sum, sizeof sum);
    }
}

/* Four rows of a panel side by side, added to the sums of its columns. */
INLINE void pack_four(const u8x16 *rows, uint8_t *target, v16i *sums) {
    u8x32 first = __builtin_shufflevector(rows[0], rows[1], 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23, 8, 24, 9, 25, 10, 26,
        11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
    u8x32 second = __builtin_shufflevector(rows[2], rows[3], 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23, 8, 24, 9, 25, 10, 26,
        11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
    u16x16 pairs[2];
    memcpy(&pairs[0], &first, sizeof first);
    memcpy(&pairs[1], &second, sizeof second);
    u16x32 fours = __builtin_shufflevector(pairs[0], pairs[1], 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23, 8, 24, 9, 25, 10, 26,
        11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
    memcpy(target, &fours, sizeof fours);
    for (int i = 0; i < 4; i++) *sums += __builtin_convertvector(rows[i], v16i);
}

/* Panels from .. to - 1 of B of n columns. */
static void KERNEL(integer_pack)(const integer_matrix *m, int64_t k, int64_t n, uint8_t *target, int64_t from, int64_t to) {
    uint8_t turn = m->turned ? 0x80 : 0;
    u8x16 turns = {0};
    turns ^= turn;
    for (int64_t panel = from; panel < to; panel++) {
        uint8_t *packed = target + panel * integer_panel_bytes(k);
        const uint8_t *values = m->values + panel * PANEL * m->column;
        int64_t columns = n - panel * PANEL < PANEL ? n - panel * PANEL : PANEL;
        v16i sums = v16i_set(0);
        for (int64_t i = 0; i < integer_depth(k); i += 4) {
            u8x16 rows[4] = {{0}};
            for (int64_t r = i; r < k && r < i + 4; r++) {
                if (m->column == 1) {
                    memcpy(&rows[r - i], values + r * m->row, columns);
                } else {
                    for (int64_t c = 0; c < columns; c++) rows[r - i][c] = values[r * m->row + c * m->column];
                }
                rows[r - i] ^= turns;
            }
            pack_four(rows, packed + INTEGER_HEAD + i * PANEL, &sums);
        }
        memcpy(packed, &sums, sizeof sums);
    }
}

/* What the zero points of a panel's columns come to. */
typedef struct {
    v16i zeros; /* those of B as it is laid out */
    v16i terms; /* the sum of column c less k zeros */
} integer_columns;

INLINE int32_t zero_at(int64_t zeros, int64_t index, int64_t is_signed) {
    if (!zeros) return 0;
    const uint8_t *z = (const uint8_t *)(intptr_t)zeros + index;
    return is_signed ? (int8_t)*z : *z;
}

INLINE integer_columns panel_columns(const integer_job *j, const uint8_t *packed, int64_t column) {
    integer_columns own;
    int32_t shift = (j->signed_b ? 128 : 0) - DOT_WIDE_OFFSET;
    own.zeros = v16i_set(zero_at(j->zero_b, 0, j->signed_b) + shift);
    for (int64_t c = 0; j->zero_b_column && c < PANEL && column + c < j->n; c++) {
        own.zeros[c] = zero_at(j->zero_b, column + c, j->signed_b) + shift;
    }
    v16i sums;
    memcpy(&sums, packed, sizeof sums);
    int32_t k = (int32_t)j->k;
    own.terms = sums - v16i_set(k * DOT_WIDE_OFFSET) - v16i_set(k) * own.zeros;
    return own;
}

INLINE v16i load_ints(int64_t address, int64_t offset, int64_t step, int64_t count) {
    const int32_t *p = (const int32_t *)(intptr_t)address + offset;
    return step ? (v16i)v16_load_some((const float *)p, count, v16_set(0.0f)) : v16i_set(*p);
}

typedef int32_t v8i __attribute__((vector_size(32)));
typedef float v8 __attribute__((vector_size(32)));
typedef double v8d __attribute__((vector_size(64)));

/* Eight sums times their ratios, which are of a row or of columns, then `count` of them. */
INLINE v8 by_ratio(const integer_job *j, v8i sum, v8i addend, int64_t row, int64_t column, int64_t count) {
    const double *ratios = (const double *)(intptr_t)j->ratios + row * j->ratios_row + column * j->ratios_column;
    v8d ratio = {0};
    if (!j->ratios_column) {
        ratio += *ratios;
    } else if (count > 0) {
        memcpy(&ratio, ratios, (count < 8 ? count : 8) * sizeof *ratios);
    }
    return __builtin_convertvector((__builtin_convertvector(sum, v8d) + __builtin_convertvector(addend, v8d)) * ratio, v8);
}

INLINE v16 by_ratios(const integer_job *j, v16i sum, v16i addend, int64_t row, int64_t column, int64_t count) {
    v8i sums[2], addends[2];
    memcpy(sums, &sum, sizeof sum);
    memcpy(addends, &addend, sizeof addend);
    v8 values[2];
    for (int half = 0; half < 2; half++) {
        values[half] = by_ratio(j, sums[half], addends[half], row, column + 8 * half, count - 8 * half);
    }
    v16 result;
    memcpy(&result, values, sizeof result);
    return result;
}

/* One row of a panel, of which `count` columns are there; `own` is the sum of A's row, `zero` its zero point as A is laid out. */
INLINE void integer_finish(
    const integer_job *j, v16i sum, integer_columns columns, int32_t own, int32_t zero, char *c, int64_t row, int64_t column) {
    int64_t count = j->n - column, at = row * j->c_row + column;
    sum -= v16i_set(zero) * columns.terms + columns.zeros * v16i_set(own);
    v16i addend = v16i_set(0);
    if (j->addend) addend = load_ints(j->addend, row * j->addend_row + column * j->addend_column, j->addend_column, count);
    if (j->form == INTEGER_SUMS) {
        v16_store_some((float *)c + at, (v16)(sum + addend), count);
        return;
    }
    v16 value;
    if (j->form == INTEGER_RATIOS) {
        value = by_ratios(j, sum, addend, row, column, count);
    } else {
        const float *scales = (const float *)(intptr_t)j->scale_b + column * j->scale_b_column;
        v16 scale = j->scale_b_column ? v16_load_some(scales, count, v16_set(0.0f)) : v16_set(*scales);
        value = __builtin_convertvector(sum + addend, v16) * (v16_set((float)j->scale_a) * scale);
        if (j->bias) value += v16_load_some((const float *)(intptr_t)j->bias + column, count, v16_set(0.0f));
        if (j->form == INTEGER_FLOATS) {
            v16_store_some((float *)c + at, value, count);
            return;
        }
        value /= v16_set((float)j->target_scale);
    }
    store_codes((uint8_t *)c + at, to_codes(value, (int32_t)j->target_zero, (int)j->target_signed), count);
}

/* A's zero point of a row as A is laid out. */
INLINE int32_t row_zero(const integer_job *j, int64_t row) {
    return zero_at(j->zero_a, row * j->zero_a_row, j->signed_a) - (j->signed_a ? 0 : 128);
}

INLINE int32_t row_sum(const uint8_t *row) {
    int32_t sum;
    memcpy(&sum, row, sizeof sum);
    return sum;
}

INLINE void integer_block(
    const integer_job *j, const uint8_t *a, const uint8_t *b, char *c, int64_t row, int64_t panel, const int rows, const int panels) {
    int64_t row_bytes = integer_row_bytes(j->k), panel_bytes = integer_panel_bytes(j->k);
    a += row * row_bytes;
    b += panel * panel_bytes;
    dot_sum sums[INTEGER_ROWS][INTEGER_PANELS];
#pragma clang loop unroll(full)
    for (int r = 0; r < rows; r++) {
#pragma clang loop unroll(full)
        for (int p = 0; p < panels; p++) sums[r][p] = dot_start(0, 1);
    }
    const uint8_t *w = b + INTEGER_HEAD;
    const int8_t *x = (const int8_t *)a + INTEGER_HEAD;
    for (int64_t i = 0; i < j->k; i += 4, x += 4, w += 4 * PANEL) {
        codes64 columns[INTEGER_PANELS];
#pragma clang loop unroll(full)
        for (int p = 0; p < panels; p++) columns[p] = codes_wide(codes_load(w + p * panel_bytes));
#pragma clang loop unroll(full)
        for (int r = 0; r < rows; r++) {
            int32_t four = load4(x + r * row_bytes);
#pragma clang loop unroll(full)
            for (int p = 0; p < panels; p++) sums[r][p] = dot_add(sums[r][p], columns[p], four, 1);
        }
    }
#pragma clang loop unroll(full)
    for (int p = 0; p < panels; p++) {
        int64_t column = (panel + p) * PANEL;
        integer_columns own = panel_columns(j, b + p * panel_bytes, column);
#pragma clang loop unroll(full)
        for (int r = 0; r < rows; r++) {
            integer_finish(j, dot_total(sums[r][p], 0, 1), own, row_sum(a + r * row_bytes), row_zero(j, row + r), c, row + r, column);
        }
    }
}

typedef void integer_function(const integer_job *, const uint8_t *, const uint8_t *, char *, int64_t, int64_t);

#define INTEGER_BLOCK(rows, panels) \
    static __attribute__((noinline)) void integer_##rows##_##panels( \
        const integer_job *j, const uint8_t *a, const uint8_t *b, char *c, int64_t row, int64_t panel) { \
        integer_block(j, a, b, c, row, panel, rows, panels); \
    }
INTEGER_BLOCK(1, 1)
INTEGER_BLOCK(2, 1)
#if INTEGER_ROWS > 2
INTEGER_BLOCK(4, 1)
#endif
#if INTEGER_ROWS > 4
INTEGER_BLOCK(8, 1)
INTEGER_BLOCK(1, 3)
INTEGER_BLOCK(2, 3)
INTEGER_BLOCK(4, 3)
INTEGER_BLOCK(8, 3)
#endif

/* The largest block of at most so many rows. */
INLINE integer_function *integer_block_of(int64_t rows, int panels, int *taken) {
#if INTEGER_ROWS > 4
    if (rows >= 8) { *taken = 8; return panels == 3 ? integer_8_3 : integer_8_1; }
    if (panels == 3) {
        if (rows >= 4) { *taken = 4; return integer_4_3; }
        *taken = rows >= 2 ? 2 : 1;
        return rows >= 2 ? integer_2_3 : integer_1_3;
    }
#endif
#if INTEGER_ROWS > 2
    if (rows >= 4) { *taken = 4; return integer_4_1; }
#endif
    *taken = rows >= 2 ? 2 : 1;
    return rows >= 2 ? integer_2_1 : integer_1_1;
}

#if defined(__AMX_INT8__)
#include "integer_amx.h"
#endif

/* Rows row_from .. row_to - 1 and panels from .. to - 1 of C. A's memory goes on for 31 rows. */
static void KERNEL(integer)(
    const integer_job *j, const uint8_t *a, const uint8_t *b, char *c, int64_t row_from, int64_t row_to, int64_t from, int64_t to) {
#if defined(__AMX_INT8__)
    if (row_to - row_from >= INTEGER_TILED_ROWS) {
        integer_by_tiles(j, a, b, c, row_from, row_to, from, to);
        return;
    }
#endif
    for (int64_t panel = from; panel < to;) {
        int panels = to - panel >= INTEGER_PANELS ? INTEGER_PANELS : 1;
        for (int64_t row = row_from; row < row_to;) {
            int taken;
            integer_function *run = integer_block_of(row_to - row, panels, &taken);
            run(j, a, b, c, row, panel);
            row += taken;
        }
        panel += panels;
    }
}
