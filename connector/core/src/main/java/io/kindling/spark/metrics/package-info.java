/** What is counted, and what keeps the figures. */
package io.kindling.spark.metrics;
