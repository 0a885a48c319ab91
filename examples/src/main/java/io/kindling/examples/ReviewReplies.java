package io.kindling.examples;

import io.kindling.spark.Generation;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/**
 * Writes a reply to every review.
 *
 * <pre>
 * spark-submit --class io.kindling.examples.ReviewReplies --jars connector/target/kindling.jar \
 *     examples/target/kindling-examples.jar MODEL_FOLDER examples/data/reviews.csv OUTPUT_FOLDER
 * </pre>
 */
public final class ReviewReplies {
    private ReviewReplies() {}

    public static void main(String[] args) {
        if (args.length != 3) {
            throw new IllegalArgumentException("usage: ReviewReplies MODEL_FOLDER REVIEWS_CSV OUTPUT_FOLDER");
        }
        SparkSession spark =
                SparkSession.builder().appName("Kindling review replies").getOrCreate();
        Dataset<Row> reviews =
                spark.read().option("header", true).option("escape", "\"").csv(args[1]);
        Generation.of(args[0])
                .prompt("A customer wrote about our {product}: \"{review}\" Reply in one friendly sentence.")
                .system("You answer customers of a small shop.")
                .key("review_id")
                .option("maxNewTokens", 24)
                .into("reply")
                .details("details")
                .apply(reviews)
                .write()
                .json(args[2]);
        spark.stop();
    }
}
