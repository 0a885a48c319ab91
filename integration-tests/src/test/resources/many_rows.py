"""many_rows.py MODEL OUT ROWS: generates for many rows and watches the memory of driver and executors and what is written.

Prints a line of JSON with samples (seconds, [anonymous MiB of each process, the driver first], bytes written) and the rows at the end.
"""
import json
import sys
import time

import processes
from pyspark.sql import DataFrame, SparkSession

model, out, rows = sys.argv[1], sys.argv[2], int(sys.argv[3])
spark = SparkSession.builder.appName("many rows").getOrCreate()
context, jvm = spark.sparkContext, spark._jvm

watched = [jvm.java.lang.ProcessHandle.current().pid(), *processes.executors(context.applicationId)]
generation = (
    jvm.io.kindling.spark.Generation.of(model).prompt("{q}").key("id").into("answer")
    .option("temperature", "0.8").option("maxNewTokens", "2").option("ignoreEos", "true").option("inFlight", "256")
)
table = spark.range(0, rows, 1, 4).selectExpr("id", "concat('row ', id) AS q")
began = time.time()
with processes.Watch(watched, out) as watch:
    DataFrame(generation.apply(table._jdf), spark).select("id", "answer").write.json(out)
seconds = time.time() - began
counted = spark.read.json(out).selectExpr("count(*) AS n", "count(DISTINCT id) AS ids", "count(answer) AS answers").first()
print(json.dumps({"samples": watch.samples, "seconds": round(seconds, 1), **counted.asDict()}))
spark.stop()
