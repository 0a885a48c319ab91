"""Goes on where a crashed job stopped: rows that have an answer are not asked again.

    spark-submit --jars connector/target/kindling.jar examples/pyspark/resume.py MODEL_FOLDER OUTPUT_FOLDER [ROWS]

Run from the repository's root, with the module installed: pip install ./connector/python. ROWS ends the job early, as a crash
would. Rows that failed are asked again too; only an answer counts. Java and Scala have io.kindling.spark.Resume, which also
writes in chunks.
"""
import os
import sys

from pyspark.sql import SparkSession

import kindling
from kindling import functions as onnx

model, output, *rows = sys.argv[1:]
spark = SparkSession.builder.appName("Kindling resume").getOrCreate()
kindling.register_model(spark, "assistant", model)

questions = spark.read.json("examples/data/prompts.jsonl")
if os.path.exists(output):
    answered = spark.read.json(output).where("d.text IS NOT NULL")
    questions = questions.join(answered, "id", "left_anti")
if rows:
    questions = questions.orderBy("id").limit(int(rows[0]))

# Appended files appear when a job commits; small batches of rows would commit earlier.
answers = questions.select("id", onnx.generate_details("assistant", "question", chat=True, max_new_tokens=6).alias("d"))
answers.write.mode("append").json(output)

total = spark.read.json(output)
print(f"{total.count()} answers for {total.select('id').distinct().count()} questions")
spark.stop()
