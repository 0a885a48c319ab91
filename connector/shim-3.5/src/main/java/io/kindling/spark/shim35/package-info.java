/** Catalyst's part of the batch operator: the one home of plan nodes and rules, in Java. */
package io.kindling.spark.shim35;
