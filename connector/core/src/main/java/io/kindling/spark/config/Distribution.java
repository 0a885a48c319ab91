package io.kindling.spark.config;

/** How a model reaches the executors. */
public enum Distribution {
    /** Broadcast for what the driver can read and the executors may not, else path. */
    AUTO,
    /** With the job, in chunks; each node writes it to its cache once. */
    BROADCAST,
    /** Each executor opens the URI. */
    PATH,
    /** {@code --files} or {@code --archives} brought it. */
    FILES
}
