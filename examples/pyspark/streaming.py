"""Answers questions as files with them arrive, each file once.

    spark-submit --jars connector/target/kindling.jar examples/pyspark/streaming.py MODEL_FOLDER INPUT_FOLDER OUTPUT_FOLDER

Run from the repository's root. It answers what lies in the input folder and ends; started again, it answers only new files, since
OUTPUT_FOLDER/checkpoint remembers the others. Without trigger(availableNow=True) it would go on waiting for files.
"""
import sys

from pyspark.sql import SparkSession

model, source, output = sys.argv[1:]
spark = SparkSession.builder.appName("Kindling streaming").getOrCreate()
spark.conf.set("spark.kindling.model.assistant", model)

questions = spark.readStream.schema("id INT, topic STRING, question STRING").json(source)
answers = questions.selectExpr(
    "id", "question", "onnx.chat('assistant', question, map('max_new_tokens', '12')) AS answer"
)
query = (
    answers.writeStream.format("json")
    .option("path", output + "/answers")
    .option("checkpointLocation", output + "/checkpoint")
    .trigger(availableNow=True)
    .start()
)
query.awaitTermination()
for row in spark.read.json(output + "/answers").orderBy("id").collect():
    print(f"{row.id}: {row.answer!r}")
spark.stop()
