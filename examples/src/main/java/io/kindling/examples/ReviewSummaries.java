package io.kindling.examples;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.collect_list;
import static org.apache.spark.sql.functions.concat_ws;
import static org.apache.spark.sql.functions.sort_array;

import io.kindling.spark.Generation;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/**
 * Sums up the reviews of each product.
 *
 * <pre>
 * spark-submit --class io.kindling.examples.ReviewSummaries --jars connector/target/kindling.jar \
 *     examples/target/kindling-examples.jar MODEL_FOLDER examples/data/product_reviews.csv OUTPUT_FOLDER
 * </pre>
 */
public final class ReviewSummaries {
    private ReviewSummaries() {}

    public static void main(String[] args) {
        if (args.length != 3) {
            throw new IllegalArgumentException("usage: ReviewSummaries MODEL_FOLDER REVIEWS_CSV OUTPUT_FOLDER");
        }
        SparkSession spark =
                SparkSession.builder().appName("Kindling review summaries").getOrCreate();
        Dataset<Row> reviews =
                spark.read().option("header", true).option("escape", "\"").csv(args[1]);
        Dataset<Row> products = reviews.groupBy("product")
                .agg(concat_ws("\n", sort_array(collect_list(col("review")))).as("reviews"));
        Generation.of(args[0])
                .prompt("Reviews of our {product}:\n{reviews}\nSum them up in one sentence.")
                .system("You write for the buyers of a shop.")
                .key("product")
                .option("maxNewTokens", 24)
                .option("onOverflow", "truncate_left") // many reviews may be more than the model reads
                .into("summary")
                .apply(products)
                .write()
                .json(args[2]);
        spark.stop();
    }
}
