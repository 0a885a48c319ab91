/*
 * Products of float32 matrices, C = alpha A B + beta D: MatMul, Gemm and com.microsoft::FusedMatMul.
 *
 * Columns are taken in panels of 16. Packed, a panel holds its 16 columns of B for k = 0, 1, … one after the other, columns
 * behind the last being 0. An element of C is summed over k in ascending order, each product being fused into the sum where
 * the instruction set can (on tiles in the order of gemm_amx.h), then scaled, then D is added: the same bits for any number of
 * rows, any split of the work, and for packed and unpacked B.
 */
#ifndef KINDLING_GEMM_H
#define KINDLING_GEMM_H

#include <stdint.h>

#define PANEL 16

/* Panels of floats, or of tiles as gemm_amx.h has them for rounded operands. */
#define PACKED_FLOATS 1
#define PACKED_TILES 2

/* One execution, as Java writes it: 64-bit fields in this order. Strides are in floats. */
typedef struct {
    int64_t k, n;
    int64_t a_row, a_column;
    int64_t b_row, b_column; /* from one k to the next, and from one column to the next */
    int64_t packed;          /* 0: B lies as b_row and b_column say; PACKED_FLOATS or PACKED_TILES */
    int64_t addend;          /* address of D; 0: there is none */
    int64_t addend_row, addend_column;
    double alpha, beta;
    int64_t c_row;   /* from one row of C to the next */
    int64_t rounded; /* 1: operands may lose what lies below 2^-16 of them, where that is faster */
} gemm_job;

#endif
