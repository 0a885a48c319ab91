package io.kindling.spark.config;

import java.io.Serializable;

/**
 * What the models of an executor may take together.
 *
 * @param totalBytes beside the Java heap; 0 takes what the executor's own limits leave
 * @param idleBytes size of model files that engines may hold that no task uses
 * @param idleSeconds how long an engine that no task uses may stay; 0 sets no limit
 */
public record MemoryOptions(long totalBytes, long idleBytes, int idleSeconds) implements Serializable {}
