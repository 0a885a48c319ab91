/** GGUF reader and its converter to an ONNX model package. Runs nothing. */
package io.kindling.engine.gguf;
