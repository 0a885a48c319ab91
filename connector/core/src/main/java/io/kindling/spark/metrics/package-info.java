/** Counters of generation as Spark accumulators. */
package io.kindling.spark.metrics;
