"""Goes on where a stopped job was: rows that have an answer are not asked again.

    spark-submit --jars connector/target/kindling.jar examples/pyspark/resume.py MODEL_FOLDER OUTPUT_FOLDER [ROWS]

Run from the repository's root, with the module installed: pip install ./connector/python. ROWS takes the first rows alone, as if
the job had ended early.
"""
import sys

from pyspark.sql import SparkSession

import kindling
from kindling import functions as onnx

model, output, *rows = sys.argv[1:]
spark = SparkSession.builder.appName("Kindling resume").getOrCreate()
kindling.register_model(spark, "assistant", model)

questions = spark.read.json("examples/data/prompts.jsonl").select("id", "question")
if rows:
    questions = questions.orderBy("id").limit(int(rows[0]))


def answer(some):
    return some.select("id", onnx.generate_details("assistant", "question", chat=True, max_new_tokens=6).alias("d"))


# Four Spark jobs, each of which appends its rows: a job that is killed loses at most the rows of one.
report = kindling.Resume("id", path=output, format="json", chunks=4, details="d", attempts=2).run(questions, answer)
print(f"{report.found} answers found, {report.written} written, {report.left} left")
spark.stop()
