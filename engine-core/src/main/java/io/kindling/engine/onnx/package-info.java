/** protobuf loader and writer, external data, path guard and limits: file to graph. Runs nothing. */
package io.kindling.engine.onnx;
