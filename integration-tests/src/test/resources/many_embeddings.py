"""many_embeddings.py MODEL OUT ROWS SPOT: onnx.embed over many different texts; watches the memory of driver and executors.

Writes some texts with their vectors to SPOT, as JSON. Prints a line of JSON with samples (as processes.Watch takes them) and counts.
"""
import json
import sys
import time

import processes
from pyspark.sql import SparkSession

model, out, rows, spot = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
spark = SparkSession.builder.appName("many embeddings").getOrCreate()
context = spark.sparkContext
watched = [spark._jvm.java.lang.ProcessHandle.current().pid(), *processes.executors(context.applicationId)]

SUBJECTS = ["the sea", "a violin", "winter", "Lisbon", "bread", "a lighthouse", "tea", "gravity", "the moon", "chess", "a storm"]
VERBS = ["likes", "sells", "paints", "remembers", "has lost", "looks for", "writes about"]
words = "array(" + ", ".join(f"'{subject}'" for subject in SUBJECTS) + ")"
verbs = "array(" + ", ".join(f"'{verb}'" for verb in VERBS) + ")"
text = f"concat('customer ', id, ' ', {verbs}[id % {len(VERBS)}], ' ', {words}[id % {len(SUBJECTS)}])"
table = spark.range(0, rows, 1, 8).selectExpr("id", f"{text} AS text")
table.createOrReplaceTempView("texts")

began = time.time()
with processes.Watch(watched, out) as watch:
    spark.sql(f"SELECT id, text, onnx.embed('{model}', text) AS vector FROM texts").write.parquet(out)
seconds = time.time() - began
written = spark.read.parquet(out)
counted = written.selectExpr(
    "count(*) AS n", "count(DISTINCT id) AS ids", "count(vector) AS vectors", "min(size(vector)) AS least", "max(size(vector)) AS most",
    "count(DISTINCT vector) AS different").first()
with open(spot, "w") as file:
    json.dump([[row.text, row.vector] for row in written.where(f"id % {rows // 60} = 0").orderBy("id").collect()], file)
print(json.dumps({"samples": watch.samples, "seconds": round(seconds, 1), **counted.asDict()}))
spark.stop()
