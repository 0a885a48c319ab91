/* All kernels of one instruction set: compiled once for each, with its flags and LEVEL. */
#include "kernels.h"
#include "attention.c"
#include "elementwise.c"
#include "gemm.c"
#include "matmul_nbits.c"
#include "rows.c"
#include "heads.c"
#include "activation.c"
#include "window.c"
#include "quantize.c"
#include "integer.c"
#include "integer_conv.c"

#define TEXT_OF(name) #name
#define TEXT(name) TEXT_OF(name)

const kernel_set KERNEL(set) = {
    .level = TEXT(LEVEL),
    .nbits_bytes = KERNEL(nbits_bytes),
    .nbits_floats = KERNEL(nbits_floats),
    .nbits_quantise = KERNEL(nbits_quantise),
    .append = KERNEL(append),
    .attend = KERNEL(attend),
    .rms_norm = KERNEL(rms_norm),
    .layer_norm = KERNEL(layer_norm),
    .softmax = KERNEL(softmax),
    .elementwise = KERNEL(elementwise),
    .broadcast = KERNEL(broadcast),
    .gemm_pack = KERNEL(gemm_pack),
    .gemm = KERNEL(gemm),
    .heads = KERNEL(heads),
    .activate = KERNEL(activate),
    .conv = KERNEL(conv),
    .planes = KERNEL(planes),
    .spread = KERNEL(spread),
    .means = KERNEL(means),
    .range = KERNEL(range),
    .quantize = KERNEL(quantize),
    .dequantize = KERNEL(dequantize),
    .integer_rows = KERNEL(integer_rows),
    .integer_pack = KERNEL(integer_pack),
    .integer = KERNEL(integer),
    .integer_conv = KERNEL(integer_conv),
};
