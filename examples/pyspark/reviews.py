"""Answers product reviews, from PySpark.

    spark-submit --jars connector/target/kindling.jar examples/pyspark/reviews.py MODEL_FOLDER

Run from the repository's root. PySpark 3.5 also needs --conf spark.sql.extensions=io.kindling.spark.KindlingExtensions.
"""
import sys

from pyspark.sql import SparkSession

spark = SparkSession.builder.appName("Kindling reviews").getOrCreate()
spark.conf.set("spark.kindling.model.assistant", sys.argv[1])

spark.read.csv("examples/data/reviews.csv", header=True, escape='"').createOrReplaceTempView("reviews")
answers = spark.sql("""
    SELECT review_id, product,
           onnx.generate('assistant', concat('Review: ', review, '\\nIn one word, this review is'),
                         map('max_new_tokens', 6)) AS verdict
    FROM reviews
""").cache()  # a model's answer is worth keeping: every action would ask again
for row in answers.orderBy("review_id").collect():
    print(f"{row.review_id} {row.product}: {row.verdict!r}")
spark.stop()
