/* The native methods of io.kindling.engine.cpu.simd.Native: addresses are passed as long, checks are the caller's. */
#include "attention_job.h"
#include "kernels.h"
#include "memory.h"
#include <jni.h>
#include <string.h>

#define METHOD(type, name) JNIEXPORT type JNICALL Java_io_kindling_engine_cpu_simd_Native_##name
#define AT(type, address) ((type *)(intptr_t)(address))

METHOD(jlong, kernelSet)(JNIEnv *env, jclass unused, jint rank) { return (jlong)(intptr_t)kernel_set_at(rank); }

METHOD(jstring, levelOf)(JNIEnv *env, jclass unused, jlong set) { return (*env)->NewStringUTF(env, AT(const kernel_set, set)->level); }

METHOD(jlong, directAddress)(JNIEnv *env, jclass unused, jobject buffer) {
    return (jlong)(intptr_t)(*env)->GetDirectBufferAddress(env, buffer);
}

METHOD(jobject, directBuffer)(JNIEnv *env, jclass unused, jlong address, jlong size) {
    return (*env)->NewDirectByteBuffer(env, AT(void, address), size);
}

METHOD(jlong, allocate)(JNIEnv *env, jclass unused, jlong size) { return (jlong)(intptr_t)memory_allocate(size); }

METHOD(void, free)(JNIEnv *env, jclass unused, jlong address) { memory_free(AT(void, address)); }

METHOD(jlong, map)(JNIEnv *env, jclass unused, jlong path, jlong offset, jlong size) {
    int problem = 0;
    void *mapped = memory_map(AT(const char, path), offset, size, &problem);
    return mapped ? (jlong)(intptr_t)mapped : -(jlong)problem;
}

METHOD(void, unmap)(JNIEnv *env, jclass unused, jlong address, jlong size) { memory_unmap(AT(void, address), size); }

METHOD(jlong, nbitsTileBytes)(JNIEnv *env, jclass unused, jlong format) { return nbits_tile_bytes(AT(const nbits_format, format)); }

METHOD(jboolean, nbitsFitHalf)(JNIEnv *env, jclass unused, jlong values, jlong count) {
    return (jboolean)nbits_fit_half(AT(const float, values), count);
}

METHOD(void, nbitsPack)(
    JNIEnv *env, jclass unused, jlong format, jlong codes, jlong scales, jint half_scales, jlong zeros, jint block, jlong target, jint from,
    jint to) {
    nbits_source source = {AT(const uint8_t, codes), AT(const void, scales), AT(const void, zeros), block, half_scales};
    nbits_pack(AT(const nbits_format, format), &source, AT(uint8_t, target), from, to);
}

METHOD(void, nbitsQuantise)(
    JNIEnv *env, jclass unused, jlong set, jlong values, jlong k, jint step, jlong codes, jlong scales, jlong sums, jint from,
    jint to) {
    AT(const kernel_set, set)
        ->nbits_quantise(AT(const float, values), k, step, AT(int8_t, codes), AT(float, scales), AT(int32_t, sums), from, to);
}

METHOD(void, nbitsBytes)(
    JNIEnv *env, jclass unused, jlong set, jlong format, jlong weights, jlong codes, jlong scales, jlong sums, jlong bias, jlong y,
    jlong rows, jint from, jint to) {
    nbits_rows a = {NULL, AT(const int8_t, codes), AT(const float, scales), AT(const int32_t, sums)};
    AT(const kernel_set, set)
        ->nbits_bytes(AT(const nbits_format, format), AT(const uint8_t, weights), &a, AT(const float, bias), AT(float, y), rows, from, to);
}

METHOD(void, nbitsFloats)(
    JNIEnv *env, jclass unused, jlong set, jlong format, jlong weights, jlong values, jlong bias, jlong y, jlong rows, jint from, jint to) {
    nbits_rows a = {AT(const float, values), NULL, NULL, NULL};
    AT(const kernel_set, set)
        ->nbits_floats(AT(const nbits_format, format), AT(const uint8_t, weights), &a, AT(const float, bias), AT(float, y), rows, from, to);
}

METHOD(void, append)(JNIEnv *env, jclass unused, jlong set, jlong job, jint from, jint to) {
    const attention_job *j = AT(const attention_job, job);
    append_args args = job_append(j);
    kv_tiles tiles = job_tiles(j);
    AT(const kernel_set, set)->append(&args, &tiles, from, to - from);
}

METHOD(void, attend)(JNIEnv *env, jclass unused, jlong set, jlong job, jint from, jint to) {
    const attention_job *j = AT(const attention_job, job);
    attention_args args = job_attend(j);
    kv_tiles tiles = job_tiles(j);
    AT(const kernel_set, set)->attend(&args, &tiles, AT(const int32_t, j->block_first), from, to);
}

METHOD(void, rmsNorm)(
    JNIEnv *env, jclass unused, jlong set, jlong x, jlong skip, jlong bias, jlong scale, jlong sum, jlong y, jint size, jfloat epsilon,
    jint from, jint to) {
    AT(const kernel_set, set)
        ->rms_norm(
            AT(const float, x), AT(const float, skip), AT(const float, bias), AT(const float, scale), AT(float, sum), AT(float, y), size,
            epsilon, from, to);
}

METHOD(void, layerNorm)(
    JNIEnv *env, jclass unused, jlong set, jlong x, jlong skip, jlong bias, jlong scale, jlong shift, jlong sum, jlong y, jint size,
    jfloat epsilon, jint from, jint to) {
    AT(const kernel_set, set)
        ->layer_norm(
            AT(const float, x), AT(const float, skip), AT(const float, bias), AT(const float, scale), AT(const float, shift),
            AT(float, sum), AT(float, y), size, epsilon, from, to);
}

METHOD(void, softmax)(JNIEnv *env, jclass unused, jlong set, jlong x, jlong y, jint size, jint from, jint to) {
    AT(const kernel_set, set)->softmax(AT(const float, x), AT(float, y), size, from, to);
}

METHOD(void, broadcast)(
    JNIEnv *env, jclass unused, jlong set, jint op, jlong job, jlong a, jlong b, jlong y, jlong from, jlong to) {
    AT(const kernel_set, set)
        ->broadcast(op, AT(const broadcast_job, job), AT(const float, a), AT(const float, b), AT(float, y), from, to);
}

METHOD(void, elementwise)(JNIEnv *env, jclass unused, jlong set, jint op, jlong a, jlong b, jlong y, jlong from, jlong to) {
    AT(const kernel_set, set)->elementwise(op, AT(const float, a), AT(const float, b), AT(float, y), from, to);
}

METHOD(void, gemmPack)(JNIEnv *env, jclass unused, jlong set, jlong job, jlong b, jlong target, jlong from, jlong to) {
    AT(const kernel_set, set)->gemm_pack(AT(const gemm_job, job), AT(const float, b), AT(float, target), from, to);
}

METHOD(void, gemm)(
    JNIEnv *env, jclass unused, jlong set, jlong job, jlong a, jlong b, jlong c, jlong row_from, jlong row_to, jlong from, jlong to) {
    AT(const kernel_set, set)
        ->gemm(AT(const gemm_job, job), AT(const float, a), AT(const float, b), AT(float, c), row_from, row_to, from, to);
}

METHOD(void, heads)(JNIEnv *env, jclass unused, jlong set, jlong job, jlong scratch, jlong from, jlong to) {
    AT(const kernel_set, set)->heads(AT(const heads_job, job), AT(float, scratch), from, to);
}

METHOD(void, activate)(
    JNIEnv *env, jclass unused, jlong set, jint kind, jfloat alpha, jfloat beta, jlong x, jlong y, jlong from, jlong to) {
    AT(const kernel_set, set)->activate(kind, alpha, beta, AT(const float, x) + from, AT(float, y) + from, to - from);
}

METHOD(void, conv)(JNIEnv *env, jclass unused, jlong set, jlong job, jlong scratch, jlong from, jlong to) {
    AT(const kernel_set, set)->conv(AT(const window_job, job), AT(float, scratch), from, to);
}

METHOD(void, planes)(JNIEnv *env, jclass unused, jlong set, jlong job, jlong scratch, jlong from, jlong to) {
    AT(const kernel_set, set)->planes(AT(const window_job, job), AT(float, scratch), from, to);
}

METHOD(void, spread)(JNIEnv *env, jclass unused, jlong set, jlong job, jlong given, jlong y, jlong bias, jlong from, jlong to) {
    AT(const kernel_set, set)->spread(AT(const window_job, job), AT(const float, given), AT(float, y), AT(const float, bias), from, to);
}

METHOD(void, means)(JNIEnv *env, jclass unused, jlong set, jlong x, jlong y, jlong size, jlong from, jlong to) {
    AT(const kernel_set, set)->means(AT(const float, x), AT(float, y), size, from, to);
}

METHOD(void, range)(JNIEnv *env, jclass unused, jlong set, jlong x, jlong result, jlong from, jlong to) {
    AT(const kernel_set, set)->range(AT(const float, x), AT(float, result), from, to);
}

METHOD(void, quantize)(JNIEnv *env, jclass unused, jlong set, jlong job, jlong x, jlong y, jlong from, jlong to) {
    AT(const kernel_set, set)->quantize(AT(const quantize_job, job), AT(const float, x), AT(uint8_t, y), from, to);
}

METHOD(void, dequantize)(JNIEnv *env, jclass unused, jlong set, jlong job, jlong x, jlong y, jlong from, jlong to) {
    AT(const kernel_set, set)->dequantize(AT(const quantize_job, job), AT(const uint8_t, x), AT(float, y), from, to);
}

METHOD(void, integerRows)(
    JNIEnv *env, jclass unused, jlong set, jlong values, jlong row, jlong column, jboolean turned, jlong k, jlong target, jlong from,
    jlong to) {
    integer_matrix m = {AT(const uint8_t, values), row, column, turned};
    AT(const kernel_set, set)->integer_rows(&m, k, AT(uint8_t, target), from, to);
}

METHOD(void, integerPack)(
    JNIEnv *env, jclass unused, jlong set, jlong values, jlong row, jlong column, jboolean turned, jlong k, jlong n, jlong target,
    jlong from, jlong to) {
    integer_matrix m = {AT(const uint8_t, values), row, column, turned};
    AT(const kernel_set, set)->integer_pack(&m, k, n, AT(uint8_t, target), from, to);
}

METHOD(void, integer)(
    JNIEnv *env, jclass unused, jlong set, jlong job, jlong a, jlong b, jlong c, jlong row_from, jlong row_to, jlong from, jlong to) {
    AT(const kernel_set, set)
        ->integer(AT(const integer_job, job), AT(const uint8_t, a), AT(const uint8_t, b), AT(char, c), row_from, row_to, from, to);
}

METHOD(void, integerConv)(JNIEnv *env, jclass unused, jlong set, jlong job, jlong product, jlong scratch, jlong from, jlong to) {
    AT(const kernel_set, set)->integer_conv(AT(const window_job, job), AT(const integer_job, product), AT(uint8_t, scratch), from, to);
}
