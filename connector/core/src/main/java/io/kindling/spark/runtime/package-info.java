/** What runs on executors: the registry of loaded engines, the node cache of model packages, tasks. Reads no session configuration. */
package io.kindling.spark.runtime;
