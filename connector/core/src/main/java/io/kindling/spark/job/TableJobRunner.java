package io.kindling.spark.job;

import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import io.kindling.spark.Generation;
import io.kindling.spark.config.SessionSettings;
import io.kindling.spark.metrics.GenerationMetrics;
import io.kindling.spark.runtime.ConsoleProgress;
import io.kindling.spark.runtime.DeterministicFaults;
import java.io.PrintWriter;
import java.time.LocalDateTime;
import java.util.Locale;
import java.util.Set;
import org.apache.spark.sql.AnalysisException;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;

/** Runs {@code generate-table}: reads a table, generates, writes it with the answers beside it. */
final class TableJobRunner {
    private static final Set<String> FLAT_FORMATS = Set.of("csv", "text");

    private final SparkSession session;
    private final PrintWriter console;

    /** @param console where progress is said */
    TableJobRunner(SparkSession session, PrintWriter console) {
        this.session = session;
        this.console = console;
    }

    /** @throws KindlingException for whatever the job fails of */
    JobSummary run(TableJob job) {
        GenerationMetrics metrics = GenerationMetrics.register(session.sparkContext());
        long start = System.nanoTime();
        try (ConsoleProgress.Redirection told =
                ConsoleProgress.of(session.sparkContext()).to(console)) {
            TableOutput output = new TableOutput(job, session);
            if (output.isSkipped()) {
                return JobSummary.ofSkipped();
            }
            output.check();
            output.write(forFormat(job, generate(job, metrics)));
            JobSummary summary = JobSummary.of(metrics, (System.nanoTime() - start) / 1e9);
            judge(summary, job);
            return summary;
        } catch (Exception e) {
            // Spark throws checked exceptions that its methods do not declare.
            throw DeterministicFaults.in(session.sparkContext(), e).orElseGet(() -> describe(e));
        }
    }

    /** Tasks judge themselves as they go, those of many rows alone; here the whole job is seen. */
    private void judge(JobSummary summary, TableJob job) {
        double allowed = SessionSettings.of(session)
                .plan(job.options(), LocalDateTime.now())
                .job()
                .maxErrorFraction();
        if (summary.failedRows() > allowed * summary.rows()) {
            throw new KindlingException(
                    ErrorCode.CANCELLED,
                    summary.failedRows() + " of " + summary.rows() + " rows failed, more than max_error_fraction "
                            + allowed
                            + " allows; all rows are in " + job.output() + ", and why they failed in their "
                            + TableJob.DETAILS);
        }
    }

    private static KindlingException describe(Exception failure) {
        return failure instanceof AnalysisException refused // whose own message() leaves the plan out
                ? new KindlingException(
                        ErrorCode.INVALID_OPTION, "Spark refuses the job: " + refused.message(), failure)
                : new KindlingException(ErrorCode.INTERNAL, "the job failed: " + failure, failure);
    }

    private Dataset<Row> generate(TableJob job, GenerationMetrics metrics) {
        Dataset<Row> input = job.inputTable().read(session);
        if (job.partitions() > 0) {
            input = input.repartition(job.partitions());
        }
        Generation generation = Generation.of(job.model())
                .prompt(job.prompt())
                .options(job.options())
                .into(TableJob.ANSWER)
                .details(TableJob.DETAILS)
                .metrics(metrics);
        job.key().ifPresent(generation::key);
        return generation.apply(input);
    }

    private static Dataset<Row> forFormat(TableJob job, Dataset<Row> result) {
        if (!FLAT_FORMATS.contains(job.outputFormat().toLowerCase(Locale.ROOT))) {
            return result;
        }
        return result.withColumn(TableJob.DETAILS, functions.to_json(functions.col(TableJob.DETAILS)));
    }
}
