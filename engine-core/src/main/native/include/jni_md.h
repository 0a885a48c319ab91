/* The platform part of jni.h, the same for all targets, so that one JDK's jni.h serves every cross-compilation. */
#ifndef KINDLING_JNI_MD_H
#define KINDLING_JNI_MD_H

#ifdef _WIN32
#define JNIEXPORT __declspec(dllexport)
#define JNIIMPORT __declspec(dllimport)
#else
#define JNIEXPORT __attribute__((visibility("default")))
#define JNIIMPORT __attribute__((visibility("default")))
#endif
#define JNICALL

typedef int jint;
typedef long long jlong;
typedef signed char jbyte;

#endif
