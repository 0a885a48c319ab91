/* Normalisation and elementwise operators over dense float32. */
#ifndef KINDLING_ELEMENTWISE_H
#define KINDLING_ELEMENTWISE_H

/* What elementwise computes: y from a and b, or from a alone. */
enum { OP_ADD, OP_SUB, OP_MUL, OP_DIV, OP_SIGMOID, OP_SILU, OP_RELU, OP_TANH, OP_ERF, OP_GELU, OP_GELU_TANH };

#define BROADCAST_RANK 8

/* How two operands meet: along the stretch each advances by its step, 0 or 1; axes around it come innermost first. */
typedef struct {
    int64_t stretch, step_a, step_b, rank;
    int64_t size[BROADCAST_RANK], stride_a[BROADCAST_RANK], stride_b[BROADCAST_RANK];
} broadcast_job;

#endif
