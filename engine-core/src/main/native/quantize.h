/* Floats to bytes and back: QuantizeLinear, DequantizeLinear, DynamicQuantizeLinear. */
#ifndef KINDLING_QUANTIZE_H
#define KINDLING_QUANTIZE_H

#include <stdint.h>

/*
 * Which scale an element has, as Java writes it: 64-bit fields in this order. Elements are taken in lines; line l has scale l % channels,
 * or, where `step` is 1, as many scales as elements.
 */
typedef struct {
    int64_t count, line, channels, step;
    int64_t scales; /* address of floats */
    int64_t zeros;  /* address of bytes of the quantised type, or 0 */
    int64_t is_signed;
} quantize_job;

#endif
