/** CPU provider and the Java reference kernels; knows no JNI. */
package io.kindling.engine.cpu;
