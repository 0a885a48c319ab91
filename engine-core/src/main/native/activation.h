/* Activations of one operand with up to two parameters. */
#ifndef KINDLING_ACTIVATION_H
#define KINDLING_ACTIVATION_H

/* What activate computes; the parameters are named as the operators' attributes. */
enum { ACT_NONE, ACT_RELU, ACT_TANH, ACT_SIGMOID, ACT_LEAKY_RELU, ACT_CLIP, ACT_HARD_SIGMOID, ACT_HARD_SWISH, ACT_QUICK_GELU };

#endif
