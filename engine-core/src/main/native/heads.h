/* Attention of encoders: softmax(scale Q K^T + bias) V for each head of each sequence, over dense float32. */
#ifndef KINDLING_HEADS_H
#define KINDLING_HEADS_H

#include <stdint.h>

/* One execution, as Java writes it: 64-bit fields in this order. Addresses are 0 for what is absent, strides are in floats. */
typedef struct {
    int64_t query, key, value, output;
    int64_t mask;                                      /* int32 [batch, keys]: 0 hides a key by adding `filter` */
    int64_t bias, bias_batch, bias_head, bias_row;     /* added to the scores of a query, one for each key */
    int64_t queries, keys, heads, size, value_size;
    int64_t query_batch, query_row, query_head;
    int64_t key_batch, key_row, key_head;
    int64_t value_batch, value_row, value_head;
    double scale, filter;
} heads_job;

/* Queries of a head whose scores are computed at once. */
#define HEADS_QUERIES 256

#endif
