/** Tokenizer, chat template, incremental detokeniser; knows nothing of tensors. */
package io.kindling.engine.text;
