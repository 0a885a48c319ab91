/** Graph, values, element types, symbolic shapes and attributes: immutable after build; knows neither protobuf nor kernels. */
package io.kindling.engine.ir;
