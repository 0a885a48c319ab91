/** Texts to vectors and classes with encoder models: batching by token count, pooling, labels. */
package io.kindling.engine.embed;
