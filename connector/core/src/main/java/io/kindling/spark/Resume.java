package io.kindling.spark;

import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import io.kindling.engine.error.OptionException;
import io.kindling.spark.job.OwnTasks;
import java.io.IOException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.DataFrameWriter;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;

/**
 * Runs a long job so that it can be stopped at any time and go on later: rows are written in chunks, each appended as a Spark job of
 * its own, and a later run does only what the output lacks.
 *
 * <pre>{@code
 * Resume.Report report = Resume.byKey("id")
 *         .into("parquet", "/data/replies")
 *         .retry("details", 3)
 *         .run(tickets, rows -> Generation.of("smollm2").prompt("{text}").key("id").details("details").apply(rows));
 * }</pre>
 *
 * Every row needs a key that no other row has; the output then has each key once, also where an earlier run was killed at any point, if
 * one run at a time writes it. Rows that failed of something that may pass are not written and so tried again; other errors are final
 * and are written as they are.
 */
public final class Resume {
    private static final String DONE = "__kindling_done";
    private static final String CHUNK = "__kindling_chunk";
    private static final int USUAL_CHUNKS = 16;

    private final String key;
    private final Map<String, String> options = new LinkedHashMap<>();
    private String format;
    private String output;
    private int chunks = USUAL_CHUNKS;
    private int attempts = 1;
    private String details;

    private Resume(String key) {
        this.key = Objects.requireNonNull(key);
    }

    /**
     * What a run did.
     *
     * @param found rows that the output had already
     * @param written rows that were added
     * @param left rows that failed of something that may pass; the next run tries them again
     */
    public record Report(long found, long written, long left) {}

    /** @param column that names rows, in the input and in the output */
    public static Resume byKey(String column) {
        return new Resume(column);
    }

    /** Appends files to a folder. */
    public Resume into(String fileFormat, String folder) {
        format = fileFormat;
        output = folder;
        return this;
    }

    /** Appends to a table of the catalog; the first run makes it. */
    public Resume intoTable(String table) {
        format = null;
        output = table;
        return this;
    }

    /** An option of the format, for writing and for reading back. */
    public Resume option(String name, Object value) {
        options.put(name, String.valueOf(value));
        return this;
    }

    /** In how many parts an input is done; what a stopped run loses is at most one of them. 16 unless set. */
    public Resume chunks(int count) {
        if (count < 1) {
            throw new OptionException("chunks is " + count + ", expected 1 or more");
        }
        chunks = count;
        return this;
    }

    /**
     * Tries rows again whose error may pass.
     *
     * @param detailsColumn struct of the result with the field {@code error_code}
     * @param times most tries of a row in one run
     */
    public Resume retry(String detailsColumn, int times) {
        if (times < 1) {
            throw new OptionException("a row is to be tried " + times + " times, expected 1 or more");
        }
        details = detailsColumn;
        attempts = times;
        return this;
    }

    /**
     * Does the rows that the output lacks.
     *
     * @param job makes results of rows; what it returns has the key column
     * @throws OptionException for keys that are NULL or not unique, and where no output was named
     */
    public Report run(Dataset<Row> input, UnaryOperator<Dataset<Row>> job) {
        if (output == null) {
            throw new OptionException("no output: call into(format, folder) or intoTable(table)");
        }
        checkKeys(input);
        SparkSession session = input.sparkSession();
        OwnTasks.of(session);
        long before = count(done(session));
        for (int attempt = 0; attempt < attempts; attempt++) {
            List<Row> open = pending(input).select(chunk(input)).distinct().collectAsList();
            if (open.isEmpty()) {
                break;
            }
            for (Row chunk : open) {
                Dataset<Row> rows = pending(input).where(chunk(input).equalTo(chunk.getLong(0)));
                append(finished(job.apply(rows)));
            }
        }
        long after = count(done(session));
        return new Report(before, after - before, pending(input).count());
    }

    private void checkKeys(Dataset<Row> input) {
        Column column = input.col(key);
        List<Row> bad = input.select(column.cast("string").as(DONE))
                .groupBy(DONE)
                .count()
                .where(functions.col(DONE).isNull().or(functions.col("count").gt(1)))
                .limit(1)
                .collectAsList();
        if (!bad.isEmpty()) {
            String value = bad.get(0).getString(0);
            throw new OptionException(
                    value == null
                            ? "key column '" + key + "' has NULLs; every row needs a key"
                            : "key '" + value + "' of column '" + key + "' names "
                                    + bad.get(0).getLong(1) + " rows; every row needs a key of its own");
        }
    }

    private Column chunk(Dataset<Row> input) {
        Column hash = functions.xxhash64(input.col(key).cast("string"));
        return functions.pmod(hash, functions.lit((long) chunks)).as(CHUNK);
    }

    private Dataset<Row> pending(Dataset<Row> input) {
        return done(input.sparkSession())
                .map(done -> input.join(done, input.col(key).cast("string").equalTo(done.col(DONE)), "left_anti"))
                .orElse(input);
    }

    /** The keys that the output has, as texts, since some formats know nothing else. */
    private Optional<Dataset<Row>> done(SparkSession session) {
        if (format == null ? !session.catalog().tableExists(output) : !hasFiles(session)) {
            return Optional.empty();
        }
        Dataset<Row> written = format == null
                ? session.read().options(options).table(output)
                : session.read().format(format).options(options).load(output);
        return Optional.of(written.select(written.col(key).cast("string").as(DONE)));
    }

    /** A folder of a run that was stopped early has none, and Spark finds no schema in it. */
    private boolean hasFiles(SparkSession session) {
        Path folder = new Path(output);
        try {
            var files = folder.getFileSystem(session.sparkContext().hadoopConfiguration());
            return files.exists(folder)
                    && Arrays.stream(files.listStatus(folder))
                            .map(FileStatus::getPath)
                            .anyMatch(path -> !path.getName().matches("[_.].*"));
        } catch (IOException e) {
            throw new KindlingException(ErrorCode.IO, "cannot look at output '" + output + "': " + e, e);
        }
    }

    private static long count(Optional<Dataset<Row>> keys) {
        return keys.map(Dataset::count).orElse(0L);
    }

    /** Without the rows that are to be tried again. */
    private Dataset<Row> finished(Dataset<Row> results) {
        if (details == null) {
            return results;
        }
        Object[] passing = Arrays.stream(ErrorCode.values())
                .filter(ErrorCode::mayPass)
                .map(Enum::name)
                .toArray();
        Column code = functions.col(details).getField("error_code");
        return results.where(functions.not(functions.coalesce(code.isin(passing), functions.lit(false))));
    }

    private void append(Dataset<Row> results) {
        if (format != null) {
            writer(results).format(format).save(output);
            return;
        }
        if (!results.sparkSession().catalog().tableExists(output)) {
            // Spark makes no table of a folder that has files, as a run that is killed while it makes one with rows
            // leaves it.
            writer(results.limit(0)).saveAsTable(output);
        }
        writer(results).saveAsTable(output);
    }

    private DataFrameWriter<Row> writer(Dataset<Row> results) {
        return results.write().options(options).mode(SaveMode.Append);
    }
}
