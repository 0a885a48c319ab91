/** SQL functions of the {@code onnx} catalog. */
package io.kindling.spark.functions;
