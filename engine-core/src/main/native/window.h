/*
 * Windows that slide over float32 planes, [batch, groups, channels, height, width]: Conv, com.microsoft::FusedConv, ConvTranspose and pooling.
 *
 * Conv is a product for each image and group: its filters as they lie, [filters, channels * taps], times the columns that the windows
 * cut from the planes, [channels * taps, places]. The columns are made in panels as gemm.h has them, a block of places at a
 * time, so that they stay in the cache; a result stands where it belongs, planes before places, and no layout is ever changed. The
 * bits are those of gemm.h: the same for any split of the work.
 *
 * Where each group has one channel there is nothing to multiply with: windows pass over a copy of the plane with its
 * padding, sixteen at a time, a sum taking its taps in ascending order. Pooling is done likewise.
 *
 * ConvTranspose is a product of the filters, turned, with the planes as they lie, whose rows are then spread over the result.
 */
#ifndef KINDLING_WINDOW_H
#define KINDLING_WINDOW_H

#include <stdint.h>

enum { WINDOW_SUM, WINDOW_MAX, WINDOW_MEAN };

/* One execution, as Java writes it: 64-bit fields in this order. */
typedef struct {
    int64_t x, w, bias, sum, y; /* addresses; bias and sum, which is added to the result, may be 0 */
    int64_t filters, channels;  /* of one group */
    int64_t groups;
    int64_t height, width, kernel_height, kernel_width, stride_y, stride_x, dilation_y, dilation_x, top, left;
    int64_t out_height, out_width;
    int64_t row_block, panel_block; /* filters and panels of places that a part takes, but for the last */
    int64_t activation;             /* of activation.h, after the sum */
    double alpha, beta;
    int64_t mode;
    int64_t counts_y, counts_x; /* addresses of floats whose product divides a mean, by row and by column */
    int64_t rounded;            /* as in gemm_job */
} window_job;

#endif
