#include "matmul_nbits.h"
#include <string.h>

static float half_to_float(uint16_t bits) {
    _Float16 h;
    memcpy(&h, &bits, sizeof h);
    return (float)h;
}

static uint16_t float_to_half(float x) {
    _Float16 h = (_Float16)x;
    uint16_t bits;
    memcpy(&bits, &h, sizeof bits);
    return bits;
}

int nbits_fit_half(const float *values, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        /* Subnormal halves are left out: some sets flush them. */
        float magnitude = values[i] < 0 ? -values[i] : values[i];
        if (values[i] != 0 && !(magnitude >= 0x1p-14f && magnitude <= 65504.0f && half_to_float(float_to_half(values[i])) == values[i])) {
            return 0;
        }
    }
    return 1;
}

static int code(const nbits_format *f, const nbits_source *s, int64_t blocks, int64_t column, int64_t k) {
    if (column >= f->n || k >= f->k) return 0;
    const uint8_t *row = s->codes + column * blocks * s->block * f->bits / 8;
    return f->bits == 8 ? row[k] : row[k / 2] >> (k % 2 * 4) & 15;
}

static void pack_codes(const nbits_format *f, const nbits_source *s, int64_t blocks, int64_t column, int64_t k, uint8_t *target) {
    int per_vector = f->bits == 8 ? 4 : 8;
    for (int v = 0; v < f->step / per_vector; v++, target += 64) {
        for (int c = 0; c < COLUMNS; c++) {
            for (int j = 0; j < 4; j++) {
                int64_t at = k + v * per_vector + j;
                int high = f->bits == 8 ? 0 : code(f, s, blocks, column + c, at + 4) << 4;
                target[4 * c + j] = (uint8_t)(code(f, s, blocks, column + c, at) | high);
            }
        }
    }
}

static float scale(const nbits_source *s, int64_t at) {
    return s->scales_are_half ? half_to_float(((const uint16_t *)s->scales)[at]) : ((const float *)s->scales)[at];
}

static int zero_code(const nbits_format *f, const nbits_source *s, int64_t blocks, int64_t column, int64_t block) {
    const uint8_t *row = (const uint8_t *)s->zeros + column * ((blocks * f->bits + 7) / 8);
    return f->bits == 8 ? row[block] : row[block / 2] >> (block % 2 * 4) & 15;
}

void nbits_pack(const nbits_format *f, const nbits_source *s, uint8_t *target, int from, int to) {
    int64_t steps = nbits_steps(f), blocks = (f->k + s->block - 1) / s->block;
    for (int64_t tile = from; tile < to; tile++) {
        uint8_t *codes = target + tile * nbits_tile_bytes(f);
        uint8_t *scales = codes + steps * nbits_step_bytes(f);
        uint8_t *zeros = scales + steps * nbits_scale_bytes(f);
        for (int64_t step = 0; step < steps; step++) {
            pack_codes(f, s, blocks, tile * COLUMNS, step * f->step, codes + step * nbits_step_bytes(f));
            for (int c = 0; c < COLUMNS; c++) {
                int64_t column = tile * COLUMNS + c, block = step * f->step / s->block;
                int64_t to_write = step * COLUMNS + c;
                float d = column < f->n ? scale(s, column * blocks + block) : 0.0f;
                if (f->half_scales) {
                    ((uint16_t *)scales)[to_write] = float_to_half(d);
                } else {
                    ((float *)scales)[to_write] = d;
                }
                if (f->zeros == ZERO_BYTES) {
                    zeros[to_write] = (uint8_t)(column < f->n ? zero_code(f, s, blocks, column, block) : 0);
                } else if (f->zeros == ZERO_FLOATS) {
                    ((float *)zeros)[to_write] = column < f->n ? ((const float *)s->zeros)[column * blocks + block] : 0.0f;
                }
            }
        }
    }
}
