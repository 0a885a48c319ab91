/** Declared Spark options and what a driver resolves from them. */
package io.kindling.spark.config;
