/* Part of level.c, behind window.c and integer.c: convolutions of bytes, products of filters with the columns that windows cut from planes. */
#include "window.h"

/* Sixteen bytes `step` apart. */
INLINE u8x16 load_bytes_every(const uint8_t *p, int64_t step) {
    u8x16 first, second;
    memcpy(&first, p, sizeof first);
    if (step == 1) return first;
    memcpy(&second, p + 15, sizeof second);
    return __builtin_shufflevector(first, second, 0, 2, 4, 6, 8, 10, 12, 14, 17, 19, 21, 23, 25, 27, 29, 31);
}

/* As tap_columns; rows of PANEL bytes, `outside` for what is padding. */
static void tap_bytes(
    const window_job *j, const uint8_t *x, const panel_windows *windows, int64_t tap, int64_t taps, uint8_t outside, uint8_t *target) {
    const tap_places at = places_of(j, windows, tap);
    for (int64_t c = 0; c < j->channels; c++, x += j->height * j->width) {
        uint8_t *line = target + (c * taps + tap) * PANEL;
        if (at.even) {
            u8x16 values = load_bytes_every(x + at.offset[0], j->stride_x);
            memcpy(line, &values, sizeof values);
        } else {
            for (int lane = 0; lane < PANEL; lane++) line[lane] = at.inside[lane] ? x[at.offset[lane]] : outside;
        }
    }
}

/* Panels from .. to - 1 of the columns of one group's planes, made by way of `lines`. */
static void byte_columns(
    const window_job *j, const integer_job *product, const uint8_t *x, uint8_t *lines, uint8_t *target, int64_t from, int64_t to) {
    int64_t taps = j->kernel_height * j->kernel_width;
    integer_matrix matrix = {lines, PANEL, 1, product->signed_b != 0};
    uint8_t outside = (uint8_t)zero_at(product->zero_b, 0, 0);
    for (int64_t panel = from; panel < to; panel++, target += integer_panel_bytes(product->k)) {
        const panel_windows windows = windows_of(j, panel);
        for (int64_t tap = 0; tap < taps; tap++) tap_bytes(j, x, &windows, tap, taps, outside, lines);
        KERNEL(integer_pack)(&matrix, product->k, PANEL, target, 0, 1);
    }
}

/* The product with the filters of a group, `first` being the group's first. */
static integer_job of_group(const integer_job *product, int64_t first) {
    integer_job own = *product;
    if (own.zero_a_row) own.zero_a += first;
    if (own.addend) own.addend += first * (int64_t)sizeof(int32_t);
    if (own.ratios_row) own.ratios += first * (int64_t)sizeof(double);
    return own;
}

/*
 * Parts from .. to - 1, as those of conv; w has the filters laid out as A. `scratch` has room for panel_block panels and behind
 * them for PANEL bytes for each k.
 */
static void KERNEL(integer_conv)(const window_job *j, const integer_job *product, uint8_t *scratch, int64_t from, int64_t to) {
    int64_t places = j->out_height * j->out_width;
    int64_t panels = (places + PANEL - 1) / PANEL, across = (panels + j->panel_block - 1) / j->panel_block;
    int64_t down = (j->filters + j->row_block - 1) / j->row_block, made = -1;
    int64_t size = product->form == INTEGER_SUMS ? sizeof(int32_t) : 1;
    uint8_t *lines = scratch + j->panel_block * integer_panel_bytes(product->k);
    for (int64_t part = from; part < to; part++) {
        int64_t block = part / down, image = block / across, group = image % j->groups;
        int64_t first = block % across * j->panel_block, last = first + j->panel_block < panels ? first + j->panel_block : panels;
        int64_t row = part % down * j->row_block, end = row + j->row_block < j->filters ? row + j->row_block : j->filters;
        if (block != made) {
            const uint8_t *x = (const uint8_t *)(intptr_t)j->x + image * j->channels * j->height * j->width;
            byte_columns(j, product, x, lines, scratch, first, last);
            made = block;
        }
        integer_job own = of_group(product, group * j->filters);
        own.n = (last * PANEL < places ? last * PANEL : places) - first * PANEL;
        own.c_row = places;
        const uint8_t *w = (const uint8_t *)(intptr_t)j->w + group * j->filters * integer_row_bytes(own.k);
        char *y = (char *)(intptr_t)j->y + (image * j->filters * places + first * PANEL) * size;
        KERNEL(integer)(&own, w, scratch, y, row, end, 0, last - first);
    }
}
