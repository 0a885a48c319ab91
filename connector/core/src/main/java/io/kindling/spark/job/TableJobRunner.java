package io.kindling.spark.job;

import io.kindling.engine.error.KindlingException;
import io.kindling.spark.Generation;
import io.kindling.spark.metrics.GenerationMetrics;
import io.kindling.spark.runtime.DeterministicFaults;
import java.io.PrintStream;
import java.util.Locale;
import java.util.Set;
import org.apache.spark.sql.DataFrameReader;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;

/** Runs {@code generate-table}: reads a table, generates, writes it with the answers beside it. */
final class TableJobRunner {
    private static final Set<String> FLAT_FORMATS = Set.of("csv", "text");

    private final SparkSession session;
    private final PrintStream console;

    /** @param console where progress is said */
    TableJobRunner(SparkSession session, PrintStream console) {
        this.session = session;
        this.console = console;
    }

    /** @throws KindlingException for faults that the user can mend */
    JobSummary run(TableJob job) {
        TableOutput output = new TableOutput(job, session);
        if (output.isSkipped()) {
            return JobSummary.ofSkipped();
        }
        output.check();
        GenerationMetrics metrics = GenerationMetrics.register(session.sparkContext());
        Dataset<Row> result = forFormat(job, generate(job, metrics));
        try (Progress progress = new Progress(session.sparkContext(), metrics, console)) {
            output.write(result);
            return JobSummary.of(metrics, progress.seconds());
        } catch (RuntimeException e) {
            throw DeterministicFaults.of(e);
        }
    }

    private Dataset<Row> generate(TableJob job, GenerationMetrics metrics) {
        Dataset<Row> input = read(job);
        if (job.partitions() > 0) {
            input = input.repartition(job.partitions());
        }
        Generation generation = Generation.of(job.model())
                .prompt(job.prompt())
                .options(job.options())
                .into(TableJob.ANSWER)
                .details(TableJob.DETAILS)
                .metrics(metrics);
        if (job.chat()) {
            generation.chat();
        }
        job.system().ifPresent(generation::system);
        job.key().ifPresent(generation::key);
        return generation.apply(input);
    }

    private Dataset<Row> read(TableJob job) {
        if (TableJob.isTable(job.inputFormat())) {
            return session.read().options(job.inputOptions()).table(job.input());
        }
        DataFrameReader reader = session.read().format(job.inputFormat().toLowerCase(Locale.ROOT));
        if (job.inputFormat().equalsIgnoreCase("csv")) {
            reader = reader.option("header", true);
        }
        return reader.options(job.inputOptions()).load(job.input());
    }

    private static Dataset<Row> forFormat(TableJob job, Dataset<Row> result) {
        if (!FLAT_FORMATS.contains(job.outputFormat().toLowerCase(Locale.ROOT))) {
            return result;
        }
        return result.withColumn(TableJob.DETAILS, functions.to_json(functions.col(TableJob.DETAILS)));
    }
}
