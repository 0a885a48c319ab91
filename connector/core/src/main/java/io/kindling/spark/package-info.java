/** Kindling for Apache Spark: the DataFrame API, the SQL catalog and the session extension. */
package io.kindling.spark;
