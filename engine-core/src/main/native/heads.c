/* Part of level.c, behind gemm.c and rows.c. */
#include "heads.h"

/*
 * Products this thin are made by vectors, also where there are tiles: turning their operands into tiles takes longer than the product.
 * Queries first .. first + rows - 1 of head `head` of sequence `batch`; `scores` has room for rows * keys.
 */
static void attend_head(const heads_job *j, const float *added, float *scores, int64_t batch, int64_t head, int64_t first, int64_t rows) {
    const float *query = (const float *)(intptr_t)j->query + batch * j->query_batch + head * j->query_head + first * j->query_row;
    const float *key = (const float *)(intptr_t)j->key + batch * j->key_batch + head * j->key_head;
    const float *value = (const float *)(intptr_t)j->value + batch * j->value_batch + head * j->value_head;
    int64_t width = j->heads * j->value_size;
    float *output = (float *)(intptr_t)j->output + (batch * j->queries + first) * width + head * j->value_size;
    gemm_job product = {.k = j->size, .n = j->keys, .a_row = j->query_row, .a_column = 1, .b_row = 1, .b_column = j->key_row,
        .alpha = j->scale, .beta = 1, .c_row = j->keys};
    if (j->mask) {
        product.addend = (intptr_t)added;
        product.addend_column = 1;
    } else if (j->bias) {
        product.addend =
            (intptr_t)((const float *)(intptr_t)j->bias + batch * j->bias_batch + head * j->bias_head + first * j->bias_row);
        product.addend_row = j->bias_row;
        product.addend_column = 1;
    }
    multiply_by_vectors(&product, query, key, scores, 0, rows, 0, (j->keys + PANEL - 1) / PANEL);
    KERNEL(softmax)(scores, scores, (int)j->keys, 0, (int)rows);
    product = (gemm_job){.k = j->keys, .n = j->value_size, .a_row = j->keys, .a_column = 1, .b_row = j->value_row, .b_column = 1,
        .alpha = 1, .c_row = width};
    multiply_by_vectors(&product, scores, value, output, 0, rows, 0, (j->value_size + PANEL - 1) / PANEL);
}

/* Heads from .. to - 1, those of one sequence side by side; `scratch` has room for (1 + min(queries, HEADS_QUERIES)) * keys floats. */
static void KERNEL(heads)(const heads_job *j, float *scratch, int64_t from, int64_t to) {
    float *added = scratch, *scores = scratch + j->keys;
    for (int64_t item = from; item < to; item++) {
        int64_t batch = item / j->heads, head = item % j->heads;
        if (j->mask && (item == from || head == 0)) {
            const int32_t *mask = (const int32_t *)(intptr_t)j->mask + batch * j->keys;
            for (int64_t k = 0; k < j->keys; k++) added[k] = mask[k] ? 0.0f : (float)j->filter;
        }
        for (int64_t first = 0; first < j->queries; first += HEADS_QUERIES) {
            attend_head(j, added, scores, batch, head, first, j->queries - first < HEADS_QUERIES ? j->queries - first : HEADS_QUERIES);
        }
    }
}
