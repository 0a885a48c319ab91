package io.kindling.spark.job;

import java.io.PrintWriter;
import org.apache.spark.sql.SparkSession;

/** Runs a job in a Spark application of its own; the only class that the command loads after it has seen Spark. */
final class SparkRun {
    private SparkRun() {}

    static JobSummary run(TableJob job, PrintWriter console) {
        SparkSession session =
                SparkSession.builder().appName("kindling generate-table").getOrCreate();
        try {
            return new TableJobRunner(session, console).run(job);
        } finally {
            session.stop();
        }
    }
}
