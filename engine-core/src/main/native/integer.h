/*
 * Products of matrices of bytes with exact 32-bit sums, which wrap: MatMulInteger, QLinearMatMul, ConvInteger and their kin.
 *
 * C = (A - zero_a)(B - zero_b), the zero points being one, or one a row of A, and one, or one a column of B. Whatever the types of A
 * and B, A is laid out as signed bytes and B as unsigned ones, by turning the highest bit; each with sums of its own, from which follows
 * what the zero points and the turned bits add.
 *
 * A row of A is 64 bytes, of which the first four are its sum, and then its k bytes, with zeros up to a multiple of INTEGER_STEP. Columns of
 * B are taken in panels of PANEL: 64 bytes, the sums of its columns, and then, for every 4 values of k, 64 bytes: byte 4 c + i is column
 * c's value k + i. What lies behind the last k or column is never added.
 */
#ifndef KINDLING_INTEGER_H
#define KINDLING_INTEGER_H

#include <stdint.h>

/* Values of k that one tile of AMX holds. */
#define INTEGER_STEP 64
#define INTEGER_HEAD 64

/* What becomes of a sum. */
enum {
    INTEGER_SUMS,   /* int32 */
    INTEGER_FLOATS, /* (sum + addend) * (scale_a * scale_b) + bias */
    INTEGER_CODES,  /* that, divided by target_scale, as bytes */
    INTEGER_RATIOS  /* (sum + addend) * ratio as bytes, the ratio and its product in double */
};

/* One product, as Java writes it: 64-bit fields in this order. Strides are in elements; addresses of 0 stand for nothing there. */
typedef struct {
    int64_t k, n;
    int64_t form;
    int64_t signed_a, signed_b;
    int64_t zero_a, zero_a_row;    /* bytes of the type of A */
    int64_t zero_b, zero_b_column; /* bytes of the type of B */
    int64_t addend, addend_row, addend_column; /* int32 */
    double scale_a;
    int64_t scale_b, scale_b_column; /* float */
    int64_t bias;                    /* float, one a column */
    int64_t ratios, ratios_row, ratios_column; /* double */
    double target_scale;
    int64_t target_zero, target_signed;
    int64_t c_row; /* from one row of C to the next */
} integer_job;

/* A matrix of bytes as it lies: strides in bytes, and whether the highest bit is to be turned. */
typedef struct {
    const uint8_t *values;
    int64_t row, column;
    int turned;
} integer_matrix;

static inline int64_t integer_depth(int64_t k) { return (k + INTEGER_STEP - 1) / INTEGER_STEP * INTEGER_STEP; }
static inline int64_t integer_row_bytes(int64_t k) { return INTEGER_HEAD + integer_depth(k); }
static inline int64_t integer_panel_bytes(int64_t k) { return INTEGER_HEAD + integer_depth(k) * 16; }

#endif
