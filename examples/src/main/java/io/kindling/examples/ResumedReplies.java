package io.kindling.examples;

import io.kindling.spark.Generation;
import io.kindling.spark.Resume;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/**
 * Writes a reply to every review in parts, and goes on where it was when it is started again: replies that are there are not asked for.
 *
 * <pre>
 * spark-submit --class io.kindling.examples.ResumedReplies --jars connector/target/kindling.jar \
 *     examples/target/kindling-examples.jar MODEL_FOLDER examples/data/reviews.csv OUTPUT_FOLDER
 * </pre>
 */
public final class ResumedReplies {
    private ResumedReplies() {}

    public static void main(String[] args) {
        if (args.length != 3) {
            throw new IllegalArgumentException("usage: ResumedReplies MODEL_FOLDER REVIEWS_CSV OUTPUT_FOLDER");
        }
        SparkSession spark =
                SparkSession.builder().appName("Kindling resumed replies").getOrCreate();
        Dataset<Row> reviews =
                spark.read().option("header", true).option("escape", "\"").csv(args[1]);
        Resume.Report report = Resume.byKey("review_id")
                .into("json", args[2])
                .chunks(2)
                .retry("details", 3)
                .run(reviews, rows -> Generation.of(args[0])
                        .prompt("A customer wrote about our {product}: \"{review}\" Reply in one friendly sentence.")
                        .system("You answer customers of a small shop.")
                        .key("review_id")
                        .option("maxNewTokens", 24)
                        .into("reply")
                        .details("details")
                        .apply(rows));
        System.out.println(report);
        spark.stop();
    }
}
