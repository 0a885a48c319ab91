/* Part of level.c, behind gemm.c and activation.c. */
#include "window.h"

/* Sixteen values `step` floats apart. */
INLINE v16 load_every(const float *p, int64_t step) {
    if (step == 1) return v16_load(p);
    if (step == 2) {
        return __builtin_shufflevector(
            v16_load(p), v16_load(p + 15), 0, 2, 4, 6, 8, 10, 12, 14, 17, 19, 21, 23, 25, 27, 29, 31);
    }
    v16 v;
    for (int lane = 0; lane < 16; lane++) v[lane] = p[lane * step];
    return v;
}

/* Where the windows of a panel's places begin; behind the last place they lie outside every plane. */
typedef struct {
    int32_t row[PANEL], column[PANEL];
} panel_windows;

INLINE panel_windows windows_of(const window_job *j, int64_t panel) {
    int64_t places = j->out_height * j->out_width;
    panel_windows own;
    for (int lane = 0; lane < PANEL; lane++) {
        int64_t place = panel * PANEL + lane;
        own.row[lane] = place < places ? (int32_t)(place / j->out_width * j->stride_y - j->top) : INT32_MIN / 2;
        own.column[lane] = (int32_t)(place % j->out_width * j->stride_x - j->left);
    }
    return own;
}

/* What the windows of a panel read of a plane for one tap. */
typedef struct {
    int32_t offset[PANEL]; /* 0 where it is padding */
    v16i inside;
    int even; /* whether all is inside, stride_x apart, and that is at most 2 */
} tap_places;

INLINE tap_places places_of(const window_job *j, const panel_windows *windows, int64_t tap) {
    int32_t y = (int32_t)(tap / j->kernel_width * j->dilation_y), across = (int32_t)(tap % j->kernel_width * j->dilation_x);
    tap_places own;
    own.even = j->stride_x <= 2;
    for (int lane = 0; lane < PANEL; lane++) {
        int32_t r = windows->row[lane] + y, c = windows->column[lane] + across;
        int in = (uint32_t)r < (uint32_t)j->height && (uint32_t)c < (uint32_t)j->width;
        own.inside[lane] = -in;
        own.offset[lane] = in ? r * (int32_t)j->width + c : 0;
        own.even &= in && own.offset[lane] == own.offset[0] + lane * (int32_t)j->stride_x;
    }
    return own;
}

/* One tap in every channel; target is that tap of the first channel. */
static void tap_columns(const window_job *j, const float *x, const panel_windows *windows, int64_t tap, int64_t taps, float *target) {
    const tap_places at = places_of(j, windows, tap);
    for (int64_t c = 0; c < j->channels; c++, x += j->height * j->width) {
        v16 v;
        if (at.even) {
            v = load_every(x + at.offset[0], j->stride_x);
        } else {
            for (int lane = 0; lane < PANEL; lane++) v[lane] = x[at.offset[lane]];
            v = v16_select(at.inside, v, v16_set(0.0f));
        }
        v16_store(target + c * taps * PANEL, v);
    }
}

/* Panels from .. to - 1 of the columns of one group's planes. */
static void columns(const window_job *j, const float *x, float *target, int64_t from, int64_t to) {
    int64_t taps = j->kernel_height * j->kernel_width;
    for (int64_t panel = from; panel < to; panel++, target += j->channels * taps * PANEL) {
        const panel_windows windows = windows_of(j, panel);
        for (int64_t tap = 0; tap < taps; tap++) tap_columns(j, x, &windows, tap, taps, target + tap * PANEL);
    }
}

static void add_and_activate(const window_job *j, int64_t at, int64_t count) {
    float *y = (float *)(intptr_t)j->y + at;
    if (j->sum) apply_op(OP_ADD, y, 1, (const float *)(intptr_t)j->sum + at, 1, y, count);
    if (j->activation) KERNEL(activate)((int)j->activation, (float)j->alpha, (float)j->beta, y, y, count);
}

/*
 * Parts from .. to - 1 of a convolution: for each image and group blocks of panels, and for each of these blocks of filters.
 * `scratch` has room for panel_block * PANEL * channels * taps floats.
 */
static void KERNEL(conv)(const window_job *j, float *scratch, int64_t from, int64_t to) {
    int64_t k = j->channels * j->kernel_height * j->kernel_width, places = j->out_height * j->out_width;
    int64_t panels = (places + PANEL - 1) / PANEL, across = (panels + j->panel_block - 1) / j->panel_block;
    int64_t down = (j->filters + j->row_block - 1) / j->row_block, made = -1;
    for (int64_t part = from; part < to; part++) {
        int64_t block = part / down, image = block / across, group = image % j->groups;
        int64_t first = block % across * j->panel_block, last = first + j->panel_block < panels ? first + j->panel_block : panels;
        int64_t row = part % down * j->row_block, end = row + j->row_block < j->filters ? row + j->row_block : j->filters;
        if (block != made) {
            const float *x = (const float *)(intptr_t)j->x + image * j->channels * j->height * j->width;
            columns(j, x, scratch, first, last);
            made = block;
        }
        int64_t count = (last * PANEL < places ? last * PANEL : places) - first * PANEL;
        gemm_job product = {
            .k = k, .n = count, .a_row = k, .a_column = 1, .packed = PACKED_FLOATS, .alpha = 1, .beta = 1, .c_row = places,
            .rounded = j->rounded};
        if (j->bias) {
            product.addend = (intptr_t)((const float *)(intptr_t)j->bias + group * j->filters);
            product.addend_row = 1;
        }
        int64_t at = image * j->filters * places + first * PANEL;
        const float *w = (const float *)(intptr_t)j->w + group * j->filters * k;
        KERNEL(gemm)(&product, w, scratch, (float *)(intptr_t)j->y + at, row, end, 0, last - first);
        for (int64_t r = row; r < end; r++) add_and_activate(j, at + r * places, count);
    }
}

/* Floats from one row of the padded copy of a plane to the next: what the windows of whole vectors of places read. */
static int64_t padded_width(const window_job *j) {
    return ((j->out_width + PANEL - 1) / PANEL * PANEL - 1) * j->stride_x + (j->kernel_width - 1) * j->dilation_x + 1;
}

static void pad_plane(const window_job *j, const float *x, float *target, float outside) {
    int64_t wide = padded_width(j), rows = (j->out_height - 1) * j->stride_y + (j->kernel_height - 1) * j->dilation_y + 1;
    int64_t before = j->left < wide ? j->left : wide;
    int64_t count = j->width < wide - before ? j->width : wide - before;
    for (int64_t r = 0; r < rows; r++) {
        float *line = target + r * wide;
        int64_t from = r - j->top;
        int64_t copied = from >= 0 && from < j->height ? count : 0;
        for (int64_t i = 0; i < before; i++) line[i] = outside;
        memcpy(line + before, x + from * j->width * (copied > 0), copied * sizeof(float));
        for (int64_t i = before + copied; i < wide; i++) line[i] = outside;
    }
}

/* One plane of results from the padded copy. */
INLINE void slide(const window_job *j, const float *padded, const float *w, float bias, float *y, const int mode, const int64_t step) {
    int64_t wide = padded_width(j);
    const float *counts_y = (const float *)(intptr_t)j->counts_y, *counts_x = (const float *)(intptr_t)j->counts_x;
    for (int64_t r = 0; r < j->out_height; r++) {
        for (int64_t c = 0; c < j->out_width; c += PANEL) {
            const float *corner = padded + r * j->stride_y * wide + c * step;
            v16 result = v16_set(mode == WINDOW_MAX ? -INFINITY : bias);
            const float *weight = w;
            for (int64_t a = 0; a < j->kernel_height; a++) {
                const float *line = corner + a * j->dilation_y * wide;
                for (int64_t b = 0; b < j->kernel_width; b++) {
                    v16 v = load_every(line + b * j->dilation_x, step);
                    if (mode == WINDOW_SUM) {
                        result = v16_fma(v16_set(*weight++), v, result);
                    } else {
                        result = mode == WINDOW_MAX ? v16_select((result < v) | (v != v), v, result) : result + v;
                    }
                }
            }
            int64_t left = j->out_width - c;
            if (mode == WINDOW_MEAN) result /= v16_set(counts_y[r]) * v16_load_some(counts_x + c, left, v16_set(1.0f));
            v16_store_some(y + r * j->out_width + c, result, left);
        }
    }
}

#define SLIDE(mode) \
    static __attribute__((noinline)) void slide_##mode(const window_job *j, const float *padded, const float *w, float bias, float *y) { \
        if (j->stride_x == 1) { \
            slide(j, padded, w, bias, y, mode, 1); \
        } else if (j->stride_x == 2) { \
            slide(j, padded, w, bias, y, mode, 2); \
        } else { \
            slide(j, padded, w, bias, y, mode, j->stride_x); \
        } \
    }
SLIDE(WINDOW_SUM)
SLIDE(WINDOW_MAX)
SLIDE(WINDOW_MEAN)

/* Planes from .. to - 1 of the result, each from one plane of x; `scratch` has room for its padded copy. */
static void KERNEL(planes)(const window_job *j, float *scratch, int64_t from, int64_t to) {
    int64_t places = j->out_height * j->out_width, taps = j->kernel_height * j->kernel_width, copied = -1;
    for (int64_t plane = from; plane < to; plane++) {
        int64_t image = plane / j->filters, filter = plane % (j->groups * j->filters);
        if (image != copied) {
            const float *x = (const float *)(intptr_t)j->x + image * j->height * j->width;
            pad_plane(j, x, scratch, j->mode == WINDOW_MAX ? -INFINITY : 0.0f);
            copied = image;
        }
        float *y = (float *)(intptr_t)j->y + plane * places;
        const float *w = (const float *)(intptr_t)j->w + filter * taps;
        switch (j->mode) {
            case WINDOW_SUM:
                slide_WINDOW_SUM(j, scratch, w, j->bias ? ((const float *)(intptr_t)j->bias)[filter] : 0.0f, y);
                break;
            case WINDOW_MAX: slide_WINDOW_MAX(j, scratch, NULL, 0.0f, y); break;
            default: slide_WINDOW_MEAN(j, scratch, NULL, 0.0f, y); break;
        }
        add_and_activate(j, plane * places, places);
    }
}

/*
 * Planes from .. to - 1 of a transposed convolution of one image and group: each place of x, of `height` rows, gives every tap a
 * value, [filters, taps, places of x], and a tap is where the window of stride and padding puts it.
 */
static void KERNEL(spread)(const window_job *j, const float *given, float *y, const float *bias, int64_t from, int64_t to) {
    int64_t places = j->height * j->width, taps = j->kernel_height * j->kernel_width;
    for (int64_t filter = from; filter < to; filter++) {
        float *plane = y + filter * j->out_height * j->out_width;
        float start = bias ? bias[filter] : 0.0f;
        for (int64_t i = 0; i < j->out_height * j->out_width; i++) plane[i] = start;
        for (int64_t tap = 0; tap < taps; tap++) {
            const float *values = given + (filter * taps + tap) * places;
            int64_t down = tap / j->kernel_width * j->dilation_y - j->top, across = tap % j->kernel_width * j->dilation_x - j->left;
            int64_t first = across < 0 ? (-across + j->stride_x - 1) / j->stride_x : 0;
            int64_t end = j->out_width - across <= 0 ? 0 : (j->out_width - across + j->stride_x - 1) / j->stride_x;
            if (end > j->width) end = j->width;
            for (int64_t row = 0; row < j->height; row++) {
                int64_t target = row * j->stride_y + down;
                if (target < 0 || target >= j->out_height) continue;
                float *line = plane + target * j->out_width + across;
                for (int64_t c = first; c < end; c++) line[c * j->stride_x] += values[row * j->width + c];
            }
        }
    }
}

/* Means of rows from .. to - 1 of `size` values. */
static void KERNEL(means)(const float *x, float *y, int64_t size, int64_t from, int64_t to) {
    for (int64_t row = from; row < to; row++) {
        const float *values = x + row * size;
        v16 sums[4] = {v16_set(0.0f), v16_set(0.0f), v16_set(0.0f), v16_set(0.0f)};
        int64_t i = 0;
        for (; i + 64 <= size; i += 64) {
            for (int part = 0; part < 4; part++) sums[part] += v16_load(values + i + part * 16);
        }
        for (; i < size; i += 16) sums[0] += v16_load_some(values + i, size - i, v16_set(0.0f));
        y[row] = v16_sum((sums[0] + sums[1]) + (sums[2] + sums[3])) / (float)size;
    }
}
