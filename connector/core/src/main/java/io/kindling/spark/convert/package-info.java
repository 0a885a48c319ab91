/** Rows to requests and results to rows. */
package io.kindling.spark.convert;
