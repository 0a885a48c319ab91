"""Sorts support tickets: each goes to the queue of the known ticket that it is nearest to, and gets a drafted reply.

    spark-submit --jars connector/target/kindling.jar examples/pyspark/ticket_triage.py MODEL_FOLDER ENCODER_FOLDER

Run from the repository's root, with the module installed: pip install ./connector/python.
"""
import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import kindling
from kindling import functions as onnx

spark = SparkSession.builder.appName("Kindling ticket triage").getOrCreate()
kindling.register_model(spark, "assistant", sys.argv[1])
kindling.register_model(spark, "encoder", sys.argv[2])


def read(file):
    return spark.read.csv(file, header=True, escape='"').withColumn("vector", onnx.embed("encoder", "text")).cache()


known = read("examples/data/tickets.csv").select("queue", F.col("vector").alias("known"))
new = read("examples/data/new_tickets.csv")
products = F.zip_with("vector", "known", lambda a, b: a * b)
similarity = F.aggregate(products, F.lit(0.0).cast("float"), lambda total, x: total + x)
queues = new.crossJoin(known).groupBy("id", "text").agg(F.max_by("queue", similarity).alias("queue"))

conversation = F.array(
    onnx.message("system", F.concat(F.lit("You work in the "), "queue", F.lit(" team of a shop. Reply in one sentence."))),
    onnx.message("user", "text"),
)
replies = queues.withColumn("reply", onnx.chat("assistant", conversation, max_new_tokens=24, stop_strings=["\n"])).cache()
for row in replies.orderBy("id").collect():
    print(f"{row.id} {row.queue}: {row.reply!r}")
spark.stop()
