/** Symbolic shape and type inference; knows no provider. */
package io.kindling.engine.shape;
