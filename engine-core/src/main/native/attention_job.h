/* One execution of attention, as Java writes it: 64-bit fields in this order. */
#ifndef KINDLING_ATTENTION_JOB_H
#define KINDLING_ATTENTION_JOB_H

#include "attention.h"

typedef struct {
    /* addresses; 0 for what is absent */
    int64_t query, key, value, rotated, output;
    int64_t keys, values, block_table, sequence, position;
    int64_t cos, sin, sink, block_first;
    /* strides in floats, and sizes */
    int64_t query_stride, key_stride, value_stride, output_stride, page_stride, head_stride, blocks;
    int64_t keys_transposed, heads, kv_heads, head, rotary, interleaved, window, smooth;
    double scale, softcap;
} attention_job;

static inline kv_tiles job_tiles(const attention_job *j) {
    return (kv_tiles){
        .keys = (const float *)(intptr_t)j->keys,
        .values = (const float *)(intptr_t)j->values,
        .block_table = (const int32_t *)(intptr_t)j->block_table,
        .blocks = j->blocks,
        .page_stride = j->page_stride,
        .head_stride = j->head_stride,
        .keys_transposed = (int32_t)j->keys_transposed,
    };
}

static inline append_args job_append(const attention_job *j) {
    return (append_args){
        .query = (const float *)(intptr_t)j->query,
        .key = (const float *)(intptr_t)j->key,
        .value = (const float *)(intptr_t)j->value,
        .rotated = (float *)(intptr_t)j->rotated,
        .keys = (float *)(intptr_t)j->keys,
        .values = (float *)(intptr_t)j->values,
        .cos = (const float *)(intptr_t)j->cos,
        .sin = (const float *)(intptr_t)j->sin,
        .sequence = (const int32_t *)(intptr_t)j->sequence,
        .position = (const int32_t *)(intptr_t)j->position,
        .query_stride = j->query_stride,
        .key_stride = j->key_stride,
        .value_stride = j->value_stride,
        .heads = (int32_t)j->heads,
        .kv_heads = (int32_t)j->kv_heads,
        .head = (int32_t)j->head,
        .rotary = (int32_t)j->rotary,
        .interleaved = (int32_t)j->interleaved,
    };
}

static inline attention_args job_attend(const attention_job *j) {
    return (attention_args){
        .query = (const float *)(intptr_t)j->rotated,
        .output = (float *)(intptr_t)j->output,
        .query_stride = j->heads * j->head,
        .output_stride = j->output_stride,
        .sequence = (const int32_t *)(intptr_t)j->sequence,
        .position = (const int32_t *)(intptr_t)j->position,
        .sink = (const float *)(intptr_t)j->sink,
        .heads = (int32_t)j->heads,
        .kv_heads = (int32_t)j->kv_heads,
        .head = (int32_t)j->head,
        .window = (int32_t)j->window,
        .scale = (float)j->scale,
        .softcap = (float)j->softcap,
        .smooth = (int32_t)j->smooth,
    };
}

#endif
