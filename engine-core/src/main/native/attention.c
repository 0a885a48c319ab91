#include "attention.h"
#include "vec.h"
#include <math.h>
#include <string.h>

/* Running softmax of one query. */
typedef struct {
    v16 sum;
    float max;
} softmax_state;

/* Floats from the cache's start to a tile. */
static inline int64_t tile_offset(const kv_tiles *kv, int32_t sequence, int32_t tile, int32_t kv_head, int32_t head) {
    int64_t in_page = kv_head * kv->head_stride;
    return kv->block_table ? kv->block_table[sequence * kv->blocks + tile] * kv->page_stride + in_page
                           : sequence * kv->page_stride + in_page + (int64_t)tile * TILE * head;
}

static void load_key_tile(float *restrict target, const float *tile, int head, int valid, int transposed, const float **result) {
    if (transposed) {
        *result = tile;
        return;
    }
    for (int d = 0; d < head; d++) {
        for (int j = 0; j < TILE; j++) {
            target[d * TILE + j] = j < valid ? tile[j * head + d] : 0.0f;
        }
    }
    *result = target;
}

/* scores[i] = queries[i] . keys for n queries, lanes being the tile's positions. */
static inline __attribute__((always_inline)) void score(const float *const *queries, const float *keys, int head, int n, v16 *scores) {
    v16 acc[6];
    for (int i = 0; i < n; i++) acc[i] = v16_set(0.0f);
    for (int d = 0; d < head; d++) {
        v16 k = v16_load(keys + d * TILE);
        for (int i = 0; i < n; i++) acc[i] = v16_fma(v16_set(queries[i][d]), k, acc[i]);
    }
    for (int i = 0; i < n; i++) scores[i] = acc[i];
}

static void score_all(const float *const *queries, const float *keys, int head, int n, v16 *scores) {
    int i = 0;
    for (; i + 6 <= n; i += 6) score(queries + i, keys, head, 6, scores + i);
    switch (n - i) {
        case 5: score(queries + i, keys, head, 5, scores + i); break;
        case 4: score(queries + i, keys, head, 4, scores + i); break;
        case 3: score(queries + i, keys, head, 3, scores + i); break;
        case 2: score(queries + i, keys, head, 2, scores + i); break;
        case 1: score(queries + i, keys, head, 1, scores + i); break;
        default: break;
    }
}

/* outputs[i] = outputs[i] * corrections[i] + weights[i] . values over `valid` positions, for n queries, `width` columns at once. */
static inline __attribute__((always_inline)) void weigh(
    float *const *outputs, const float (*weights)[TILE], const float *corrections, const float *values, int head, int valid, int n, int width) {
    int vectors = width / 16;
    for (int d = 0; d + width <= head; d += width) {
        v16 acc[2][4];
        for (int i = 0; i < n; i++) {
            for (int v = 0; v < vectors; v++) acc[i][v] = v16_load(outputs[i] + d + v * 16) * v16_set(corrections[i]);
        }
        for (int j = 0; j < valid; j++) {
            for (int v = 0; v < vectors; v++) {
                v16 value = v16_load(values + j * head + d + v * 16);
                for (int i = 0; i < n; i++) acc[i][v] = v16_fma(v16_set(weights[i][j]), value, acc[i][v]);
            }
        }
        for (int i = 0; i < n; i++) {
            for (int v = 0; v < vectors; v++) v16_store(outputs[i] + d + v * 16, acc[i][v]);
        }
    }
}

static void weigh_all(
    float *const *outputs, const float (*weights)[TILE], const float *corrections, const float *values, int head, int valid, int n) {
    int i = 0;
    if (head % 64 == 0) {
        for (; i + 2 <= n; i += 2) weigh(outputs + i, weights + i, corrections + i, values, head, valid, 2, 64);
        if (i < n) weigh(outputs + i, weights + i, corrections + i, values, head, valid, 1, 64);
    } else {
        for (; i < n; i++) weigh(outputs + i, weights + i, corrections + i, values, head, valid, 1, 16);
    }
}

/*
 * Attends for tokens first .. first + count - 1, all of one sequence with consecutive positions, and one kv head.
 */
static void attend_block(const attention_args *a, const kv_tiles *kv, int first, int count, int kv_head) {
    int group = a->heads / a->kv_heads, head = a->head;
    int n = count * group;
    const float *queries[MAX_QUERIES];
    float *outputs[MAX_QUERIES];
    softmax_state state[MAX_QUERIES];
    v16 scores[MAX_QUERIES];
    float weights[MAX_QUERIES][TILE];
    float corrections[MAX_QUERIES];
    float transposed[TILE * MAX_HEAD];
    for (int i = 0; i < n; i++) {
        int64_t token = first + i / group, q = kv_head * group + i % group;
        queries[i] = a->query + token * a->query_stride + q * head;
        outputs[i] = a->output + token * a->output_stride + q * head;
        int has_sink = a->sink != 0 || a->smooth;
        state[i].max = has_sink ? (a->sink ? a->sink[q] : 0.0f) : -INFINITY;
        state[i].sum = v16_set(0.0f);
        if (has_sink) state[i].sum[0] = 1.0f;
        memset(outputs[i], 0, sizeof(float) * head);
    }
    int32_t sequence = a->sequence[first];
    int last = a->position[first + count - 1];
    if (last < 0) return;
    int lowest = a->window > 0 ? a->position[first] - a->window + 1 : 0;
    v16i lane = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    for (int tile = (lowest > 0 ? lowest : 0) / TILE; tile * TILE <= last; tile++) {
        int64_t offset = tile_offset(kv, sequence, tile, kv_head, head);
        int valid = last - tile * TILE + 1 < TILE ? last - tile * TILE + 1 : TILE;
        const float *keys;
        load_key_tile(transposed, kv->keys + offset, head, valid, kv->keys_transposed, &keys);
        const float *values = kv->values + offset;
        /* Queries before the tile, or whose window is past it, skip it: their range is a stretch of the block. */
        int from = 0, to = n;
        while (from < n && a->position[first + from / group] < tile * TILE) from += group;
        if (a->window > 0) {
            while (to > from && a->position[first + (to - 1) / group] - a->window + 1 > tile * TILE + TILE - 1) to -= group;
        }
        score_all(queries + from, keys, head, to - from, scores + from);
        for (int i = from; i < to; i++) {
            int position = a->position[first + i / group];
            v16 s = scores[i] * v16_set(a->scale);
            if (a->softcap != 0.0f) s = v16_tanh(s / v16_set(a->softcap)) * v16_set(a->softcap);
            v16i at = lane + v16i_set(tile * TILE);
            v16i seen = at <= v16i_set(position);
            if (a->window > 0) seen &= at > v16i_set(position - a->window);
            s = v16_select(seen, s, v16_set(-INFINITY));
            float max = v16_max(s);
            float raised = max > state[i].max ? max : state[i].max;
            float correction = raised == state[i].max ? 1.0f : expf_scalar(state[i].max - raised);
            v16 p = v16_exp(s - v16_set(raised));
            state[i].sum = v16_fma(state[i].sum, v16_set(correction), p);
            state[i].max = raised;
            corrections[i] = correction;
            v16_store(weights[i], p);
        }
        weigh_all(outputs + from, weights + from, corrections + from, values, head, valid, to - from);
    }
    for (int i = 0; i < n; i++) {
        v16 inverse = v16_set(1.0f / v16_sum(state[i].sum));
        for (int d = 0; d < head; d += 16) v16_store(outputs[i] + d, v16_load(outputs[i] + d) * inverse);
    }
}

void KERNEL(attend)(const attention_args *a, const kv_tiles *kv, const int32_t *block_first, int from, int to) {
    for (int part = from; part < to; part++) {
        int block = part / a->kv_heads;
        attend_block(a, kv, block_first[block], block_first[block + 1] - block_first[block], part % a->kv_heads);
    }
}

static void rotate(float *target, const float *source, const float *cos, const float *sin, const append_args *a) {
    int half = cos ? a->rotary / 2 : 0;
    int step = a->interleaved ? 2 : 1, gap = a->interleaved ? 1 : half;
    for (int i = 0; i < half; i++) {
        float x = source[i * step], y = source[i * step + gap];
        target[i * step] = x * cos[i] - y * sin[i];
        target[i * step + gap] = x * sin[i] + y * cos[i];
    }
    memcpy(target + 2 * half, source + 2 * half, sizeof(float) * (a->head - 2 * half));
}

void KERNEL(append)(const append_args *a, const kv_tiles *kv, int first, int count) {
    float key[MAX_HEAD];
    int head = a->head;
    for (int64_t t = first; t < first + count; t++) {
        int32_t position = a->position[t], slot = position % TILE;
        if (position < 0) continue;
        const float *cos = a->cos ? a->cos + (int64_t)position * (a->rotary / 2) : 0;
        const float *sin = a->cos ? a->sin + (int64_t)position * (a->rotary / 2) : 0;
        for (int h = 0; h < a->heads; h++) {
            rotate(a->rotated + (t * a->heads + h) * head, a->query + t * a->query_stride + h * head, cos, sin, a);
        }
        for (int h = 0; h < a->kv_heads; h++) {
            int64_t offset = tile_offset(kv, a->sequence[t], position / TILE, h, head);
            rotate(key, a->key + t * a->key_stride + h * head, cos, sin, a);
            if (kv->keys_transposed) {
                for (int d = 0; d < head; d++) a->keys[offset + d * TILE + slot] = key[d];
            } else {
                memcpy(a->keys + offset + (int64_t)slot * head, key, sizeof(float) * head);
            }
            memcpy(a->values + offset + (int64_t)slot * head, a->value + t * a->value_stride + h * head, sizeof(float) * head);
        }
    }
}
