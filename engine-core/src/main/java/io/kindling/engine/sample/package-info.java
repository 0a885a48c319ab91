/** Logits processors and samplers; knows no session. */
package io.kindling.engine.sample;
