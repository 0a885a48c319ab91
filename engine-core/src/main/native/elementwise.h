/* Normalisation and elementwise operators over dense float32. */
#ifndef KINDLING_ELEMENTWISE_H
#define KINDLING_ELEMENTWISE_H

/* What elementwise computes: y from a and b, or from a alone. */
enum { OP_ADD, OP_SUB, OP_MUL, OP_DIV, OP_SIGMOID, OP_SILU };

#endif
