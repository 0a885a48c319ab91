/** What the files of a model package say about it: ports, limits, stop ids, tokenizer and template. Runs nothing. */
package io.kindling.engine.metadata;
