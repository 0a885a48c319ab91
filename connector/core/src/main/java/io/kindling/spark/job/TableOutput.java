package io.kindling.spark.job;

import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import io.kindling.spark.job.TableJob.WriteMode;
import java.io.IOException;
import java.util.Arrays;
import java.util.Locale;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.spark.SparkStatusTracker;
import org.apache.spark.sql.DataFrameWriter;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.storage.StorageLevel;

/**
 * Writes a result so that a failed job changes nothing: files go to a folder beside the output and are moved there when
 * all are written; for tables all rows are generated before the first one is written, since Spark drops an overwritten
 * table first.
 */
final class TableOutput {
    private static final int QUIET_CHECKS = 20;

    private final TableJob job;
    private final SparkSession session;

    TableOutput(TableJob job, SparkSession session) {
        this.job = job;
        this.session = session;
    }

    private boolean isTable() {
        return TableJob.isTable(job.outputFormat());
    }

    /** Whether mode {@code ignore} leaves everything as it is. */
    boolean isSkipped() {
        return job.mode() == WriteMode.IGNORE && exists();
    }

    /** @throws KindlingException when the output exists and must not */
    void check() {
        if (job.mode() == WriteMode.ERRORIFEXISTS && exists()) {
            throw new KindlingException(
                    ErrorCode.IO,
                    "output '" + job.output()
                            + "' exists already; choose another one or --mode append, overwrite or ignore");
        }
    }

    void write(Dataset<Row> result) {
        OwnTasks.of(session);
        if (isTable()) {
            writeTable(result);
        } else if (job.mode() == WriteMode.APPEND && exists()) {
            writer(result).mode(SaveMode.Append).save(job.output());
        } else {
            writeFiles(result);
        }
    }

    private void writeTable(Dataset<Row> result) {
        Dataset<Row> generated = result.persist(StorageLevel.DISK_ONLY());
        try {
            generated.count();
            SaveMode mode =
                    switch (job.mode()) {
                        case APPEND -> SaveMode.Append;
                        case OVERWRITE -> SaveMode.Overwrite;
                        case IGNORE -> SaveMode.Ignore;
                        case ERRORIFEXISTS -> SaveMode.ErrorIfExists;
                    };
            generated.write().options(job.outputOptions()).mode(mode).saveAsTable(job.output());
        } finally {
            generated.unpersist();
        }
    }

    private void writeFiles(Dataset<Row> result) {
        try {
            Path output = new Path(job.output());
            FileSystem files = output.getFileSystem(hadoop());
            output = files.makeQualified(output);
            Path staged = beside(output, "staged");
            try {
                writer(result).mode(SaveMode.ErrorIfExists).save(staged.toString());
                publish(files, staged, output);
            } catch (Exception e) {
                discard(files, staged);
                throw e;
            }
        } catch (IOException e) {
            throw new KindlingException(ErrorCode.IO, "cannot write output '" + job.output() + "': " + e, e);
        }
    }

    /** Again and again until nothing makes the folder anew: a failed job's other tasks still run for a moment. */
    private void discard(FileSystem files, Path staged) throws IOException {
        SparkStatusTracker tracker = session.sparkContext().statusTracker();
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        int quiet = 0;
        while (quiet < QUIET_CHECKS && System.nanoTime() < deadline) {
            boolean busy = files.delete(staged, true)
                    || Arrays.stream(tracker.getExecutorInfos()).anyMatch(executor -> executor.numRunningTasks() > 0);
            quiet = busy ? 0 : quiet + 1;
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
        }
    }

    private void publish(FileSystem files, Path staged, Path output) throws IOException {
        Path replaced = beside(output, "replaced");
        boolean existed = job.mode() == WriteMode.OVERWRITE && files.exists(output);
        if (existed) {
            rename(files, output, replaced);
        }
        try {
            rename(files, staged, output);
        } catch (IOException e) {
            if (existed) {
                rename(files, replaced, output);
            }
            throw e;
        }
        if (existed) {
            files.delete(replaced, true);
        }
    }

    private static void rename(FileSystem files, Path from, Path to) throws IOException {
        if (files.exists(to)) {
            throw new IOException("'" + to + "' appeared meanwhile");
        }
        if (!files.rename(from, to)) {
            throw new IOException("cannot move '" + from + "' to '" + to + "'");
        }
    }

    /** Hidden, so that readers of the parent folder pass it by. */
    private static Path beside(Path output, String purpose) {
        return new Path(output.getParent(), "." + output.getName() + "." + purpose + "-" + UUID.randomUUID());
    }

    private DataFrameWriter<Row> writer(Dataset<Row> result) {
        DataFrameWriter<Row> writer = result.write().format(job.outputFormat().toLowerCase(Locale.ROOT));
        if (job.outputFormat().equalsIgnoreCase("csv")) {
            writer = writer.option("header", true);
        }
        return writer.options(job.outputOptions());
    }

    private boolean exists() {
        if (isTable()) {
            return session.catalog().tableExists(job.output());
        }
        try {
            Path output = new Path(job.output());
            return output.getFileSystem(hadoop()).exists(output);
        } catch (IOException e) {
            throw new KindlingException(ErrorCode.IO, "cannot look at output '" + job.output() + "': " + e, e);
        }
    }

    private Configuration hadoop() {
        return session.sparkContext().hadoopConfiguration();
    }
}
