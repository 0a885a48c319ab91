package io.kindling.spark;

import org.apache.spark.sql.SparkSessionExtensions;

/** What Kindling adds to Spark's planning. Each line of Spark has an implementation of its own, found by its name. */
public interface PlanRules {
    void inject(SparkSessionExtensions extensions);
}
