/** The one place that uses JCuda: NVIDIA's driver API through {@code libcuda.so.1}. */
package io.kindling.cuda.driver;
