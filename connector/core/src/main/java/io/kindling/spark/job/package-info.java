/** The batch job {@code generate-table}. */
package io.kindling.spark.job;
