/*
 * Attention over a KV cache that lies in tiles of 16 positions, for one token at a time of many sequences.
 *
 * A token's result depends on its own query and its own sequence's tiles alone: tiles are taken in ascending order from
 * position 0 (or the window's first tile), scores accumulate over the head in ascending order, and the softmax is online
 * with one running sum per lane. So results have the same bits however tokens are packed, chunked or spread on threads,
 * and whether the cache is paged or dense.
 */
#ifndef KINDLING_ATTENTION_H
#define KINDLING_ATTENTION_H

#include <stdint.h>

#define TILE 16

/* Every instruction set's translation unit defines LEVEL, the suffix of its functions. */
#ifndef LEVEL
#define LEVEL generic
#endif
#define KERNEL_JOIN(name, level) kindling_##name##_##level
#define KERNEL_NAME(name, level) KERNEL_JOIN(name, level)
#define KERNEL(name) KERNEL_NAME(name, LEVEL)

/* Where tiles lie. Strides are in floats. */
typedef struct {
    const float *keys;         /* tile of page b, kv head h: keys + b * page_stride + h * head_stride */
    const float *values;
    const int32_t *block_table; /* [sequences, blocks]; NULL: tile i of sequence s is at s * page_stride + i * TILE * head */
    int64_t blocks;            /* row length of block_table */
    int64_t page_stride;       /* paged: floats of a page; dense: floats of a sequence */
    int64_t head_stride;       /* floats of one kv head of a page (paged) or of a sequence (dense) */
    int32_t keys_transposed;   /* 1: a key tile is [head][16] (pages); 0: [16][head] (dense) */
} kv_tiles;

typedef struct {
    const float *query;         /* rotated; token t, head h at query + t * query_stride + h * head */
    float *output;              /* token t, head h at output + t * output_stride + h * head */
    int64_t query_stride;
    int64_t output_stride;
    const int32_t *sequence;    /* [tokens] */
    const int32_t *position;    /* [tokens]; -1: padding, which gives zeros and is not stored */
    const float *sink;          /* [heads] logits that take part in the sum only, or NULL */
    int32_t heads;
    int32_t kv_heads;
    int32_t head;               /* head size, a multiple of 16 up to 256 */
    int32_t window;             /* -1: none; w: a token sees itself and the w - 1 before it */
    float scale;
    float softcap;              /* 0: none */
    int32_t smooth;             /* 1: a sink of logit 0 for all heads */
} attention_args;

/*
 * What rotates queries and keys and puts keys and values into the cache. Strides are in floats; a packed query-key-value
 * row is given by three pointers with one stride.
 */
typedef struct {
    const float *query;         /* token t, head h at query + t * query_stride + h * head */
    const float *key;
    const float *value;
    float *rotated;             /* [tokens, heads, head] */
    float *keys;                /* the cache, laid out as kv_tiles says */
    float *values;
    const float *cos;           /* [positions, rotary / 2]; NULL: no rotation */
    const float *sin;
    const int32_t *sequence;
    const int32_t *position;
    int64_t query_stride;
    int64_t key_stride;
    int64_t value_stride;
    int32_t heads;
    int32_t kv_heads;
    int32_t head;
    int32_t rotary;             /* rotated dimensions of a head, even */
    int32_t interleaved;        /* 1: pairs (2i, 2i + 1); 0: pairs (i, i + rotary / 2) */
} append_args;

/* Most tokens of a block, and most queries: a block has at most MAX_QUERIES / (heads / kv_heads) tokens, at least one. */
#define ATTENTION_BLOCK 8
#define MAX_QUERIES 64
#define MAX_HEAD 256

/* Rotates and stores tokens first .. first + count - 1. Must be done for all tokens before attend. */
void KERNEL(append)(const append_args *a, const kv_tiles *kv, int first, int count);

/*
 * Attends for parts from .. to - 1. Part p is block p / kv_heads with kv head p % kv_heads; block b is tokens
 * block_first[b] .. block_first[b + 1] - 1, which are of one sequence with consecutive positions, or all padding.
 */
void KERNEL(attend)(const attention_args *a, const kv_tiles *kv, const int32_t *block_first, int from, int to);

#endif
