package io.kindling.spark.config;

import java.io.Serializable;

/**
 * Where nodes keep model packages.
 *
 * @param directory on each node; empty for one below the node's temporary folder
 * @param capBytes unused packages are evicted beyond it
 */
public record NodeCacheOptions(String directory, long capBytes) implements Serializable {}
