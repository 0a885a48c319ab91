/* One instruction set's kernels, and how they are chosen. */
#ifndef KINDLING_KERNELS_H
#define KINDLING_KERNELS_H

#include "attention.h"
#include "elementwise.h"
#include "gemm.h"
#include "heads.h"
#include "integer.h"
#include "matmul_nbits.h"
#include "quantize.h"
#include "window.h"

typedef struct {
    const char *level;
    void (*nbits_bytes)(
        const nbits_format *f, const uint8_t *weights, const nbits_rows *a, const float *bias, float *y, int64_t rows, int from, int to);
    void (*nbits_floats)(
        const nbits_format *f, const uint8_t *weights, const nbits_rows *a, const float *bias, float *y, int64_t rows, int from, int to);
    void (*nbits_quantise)(const float *values, int64_t k, int step, int8_t *codes, float *scales, int32_t *sums, int64_t from,
        int64_t to);
    void (*append)(const append_args *a, const kv_tiles *kv, int first, int count);
    void (*attend)(const attention_args *a, const kv_tiles *kv, const int32_t *block_first, int from, int to);
    void (*rms_norm)(
        const float *x, const float *skip, const float *bias, const float *scale, float *sum, float *y, int size, float epsilon, int from,
        int to);
    void (*layer_norm)(
        const float *x, const float *skip, const float *bias, const float *scale, const float *shift, float *sum, float *y, int size,
        float epsilon, int from, int to);
    void (*softmax)(const float *x, float *y, int size, int from, int to);
    void (*elementwise)(int op, const float *a, const float *b, float *y, int64_t from, int64_t to);
    void (*broadcast)(int op, const broadcast_job *j, const float *a, const float *b, float *y, int64_t from, int64_t to);
    void (*gemm_pack)(const gemm_job *j, const float *b, float *target, int64_t from, int64_t to);
    void (*gemm)(
        const gemm_job *j, const float *a, const float *b, float *c, int64_t row_from, int64_t row_to, int64_t from, int64_t to);
    void (*heads)(const heads_job *j, float *scratch, int64_t from, int64_t to);
    void (*activate)(int kind, float alpha, float beta, const float *x, float *y, int64_t count);
    void (*conv)(const window_job *j, float *scratch, int64_t from, int64_t to);
    void (*planes)(const window_job *j, float *scratch, int64_t from, int64_t to);
    void (*spread)(const window_job *j, const float *given, float *y, const float *bias, int64_t from, int64_t to);
    void (*means)(const float *x, float *y, int64_t size, int64_t from, int64_t to);
    void (*range)(const float *x, float *result, int64_t from, int64_t to);
    void (*quantize)(const quantize_job *j, const float *x, uint8_t *y, int64_t from, int64_t to);
    void (*dequantize)(const quantize_job *j, const uint8_t *x, float *y, int64_t from, int64_t to);
    void (*integer_rows)(const integer_matrix *m, int64_t k, uint8_t *target, int64_t from, int64_t to);
    void (*integer_pack)(const integer_matrix *m, int64_t k, int64_t n, uint8_t *target, int64_t from, int64_t to);
    void (*integer)(
        const integer_job *j, const uint8_t *a, const uint8_t *b, char *c, int64_t row_from, int64_t row_to, int64_t from, int64_t to);
    void (*integer_conv)(const window_job *j, const integer_job *product, uint8_t *scratch, int64_t from, int64_t to);
} kernel_set;

/* The set of level `rank`, 0 being the plainest; NULL past the last and for sets this processor cannot run. */
const kernel_set *kernel_set_at(int rank);

#endif
