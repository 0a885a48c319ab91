/** Rewrites decoders from padded batches to packed tokens, where it can be proven that only attention mixes tokens. */
package io.kindling.engine.optimize.ragged;
