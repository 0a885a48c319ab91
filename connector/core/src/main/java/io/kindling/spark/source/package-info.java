/** Tables that a driver serves: metadata of models, and {@code format("onnx")}. */
package io.kindling.spark.source;
