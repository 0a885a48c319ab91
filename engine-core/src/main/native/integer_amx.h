/* Part of integer.c: blocks of the product on tiles of AMX, which multiply signed by unsigned bytes and add in 32 bits. */
#include <immintrin.h>

/* Below so many rows tiles are too empty. */
#define INTEGER_TILED_ROWS 4

#define INTEGER_MULTIPLY(tall, wide) \
    for (int64_t s = 0; s < steps; s++) { \
        _tile_loadd(4, a + s * INTEGER_STEP, row_bytes); \
        if (tall) _tile_loadd(5, a + TILE_ROWS * row_bytes + s * INTEGER_STEP, row_bytes); \
        _tile_loadd(6, b + s * PART_BYTES, 64); \
        if (wide) _tile_loadd(7, b + panel_bytes + s * PART_BYTES, 64); \
        _tile_dpbsud(0, 4, 6); \
        if (wide) _tile_dpbsud(1, 4, 7); \
        if (tall) _tile_dpbsud(2, 5, 6); \
        if (tall && wide) _tile_dpbsud(3, 5, 7); \
    }

/* Sums of up to two tiles of A and of B, lines of PAIR * PANEL. */
INLINE void integer_tile_sums(
    const uint8_t *a, int64_t row_bytes, const uint8_t *b, int64_t panel_bytes, int64_t steps, int32_t *sums, int tall, int wide) {
    const int64_t line = PAIR * PANEL * sizeof *sums;
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
    if (tall && wide) {
        INTEGER_MULTIPLY(1, 1)
    } else {
        INTEGER_MULTIPLY(tall, wide)
    }
    _tile_stored(0, sums, line);
    _tile_stored(1, sums + PANEL, line);
    _tile_stored(2, sums + TILE_ROWS * PAIR * PANEL, line);
    _tile_stored(3, sums + TILE_ROWS * PAIR * PANEL + PANEL, line);
}

/* As integer. */
static void integer_by_tiles(
    const integer_job *j, const uint8_t *a, const uint8_t *b, char *c, int64_t row_from, int64_t row_to, int64_t from, int64_t to) {
    int64_t row_bytes = integer_row_bytes(j->k), panel_bytes = integer_panel_bytes(j->k), steps = integer_depth(j->k) / INTEGER_STEP;
    int32_t sums[PAIR * TILE_ROWS * PAIR * PANEL] __attribute__((aligned(64)));
    configure_tiles();
    for (int64_t panel = from; panel < to; panel += PAIR) {
        int wide = panel + 1 < to;
        const uint8_t *packed = b + panel * panel_bytes;
        integer_columns columns[PAIR];
        for (int p = 0; p <= wide; p++) columns[p] = panel_columns(j, packed + p * panel_bytes, (panel + p) * PANEL);
        for (int64_t row = row_from; row < row_to; row += PAIR * TILE_ROWS) {
            int64_t rows = row_to - row < PAIR * TILE_ROWS ? row_to - row : PAIR * TILE_ROWS;
            const uint8_t *lines = a + row * row_bytes;
            integer_tile_sums(
                lines + INTEGER_HEAD, row_bytes, packed + INTEGER_HEAD, panel_bytes, steps, sums, rows > TILE_ROWS, wide);
            for (int64_t r = 0; r < rows; r++) {
                int32_t own = row_sum(lines + r * row_bytes), zero = row_zero(j, row + r);
                for (int p = 0; p <= wide; p++) {
                    v16i sum = (v16i)v16_load((const float *)sums + (r * PAIR + p) * PANEL);
                    integer_finish(j, sum, columns[p], own, zero, c, row + r, (panel + p) * PANEL);
                }
            }
        }
    }
    _tile_release();
}
