/** KV pages, prefix cache, scheduler, ragged and dense decoding; knows nothing of Spark. */
package io.kindling.engine.generate;
