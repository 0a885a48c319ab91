package io.kindling.spark.job;

import java.util.concurrent.ThreadLocalRandom;
import org.apache.spark.sql.SparkSession;

/**
 * Keeps what a killed writer left behind out of what a session appends to the same folder.
 *
 * <p>Hadoop's {@code FileOutputCommitter} keeps the files of ended tasks in {@code OUTPUT/_temporary/ATTEMPT} until their job ends, and
 * then moves all that lie there into the output. The attempt is 0 in every Spark application, so that the next one to append publishes
 * the tasks of a killed one with its own. A number of the session's own sets them apart, for tables of the catalog too, and however
 * late a task of the killed application ends; the first job that ends well removes the whole {@code _temporary}.
 */
public final class OwnTasks {
    private static final String ATTEMPT = "mapreduce.job.application.attempt.id";

    private OwnTasks() {}

    /** For all that this session writes from now on. A number that was set before stays. */
    public static void of(SparkSession session) {
        if (session.conf().getOption(ATTEMPT).isEmpty()) {
            session.conf().set(ATTEMPT, ThreadLocalRandom.current().nextInt(1, Integer.MAX_VALUE));
        }
    }
}
