/** The CUDA provider. In this version it finds devices and says what it found; it has no kernels yet. */
package io.kindling.cuda;
