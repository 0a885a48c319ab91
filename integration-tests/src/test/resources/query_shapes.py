"""query_shapes.py MODEL SHAPES…: runs each query of the files SHAPES and prints whether it made the requests that they say."""
import fileinput
import sys

from pyspark.sql import SparkSession

model, *shapes = sys.argv[1:]
spark = (
    SparkSession.builder.appName("query shapes")
    .config("spark.kindling.model.m", model)
    .config("spark.kindling.max_new_tokens", "1")
    .config("spark.sql.shuffle.partitions", "2")
    .getOrCreate()
)
engines = spark._jvm.io.kindling.spark.runtime.TaskEngines
spark.sql("SELECT id, concat('q', id) q FROM range(1, 7, 1, 2)").createOrReplaceTempView("t")
spark.sql("SELECT id, q, onnx.generate('m', q) a FROM t").createOrReplaceTempView("v")
source = spark.read.format("onnx").option("table", "t").option("model", "m").option("prompt", "q").option("into", "a")
source.load().createOrReplaceTempView("s")
for line in fileinput.input(shapes, encoding="utf-8"):
    if not line.strip() or line.startswith("#"):
        continue
    expected, query = line.strip().split(" | ", 1)
    before = engines.requests()
    try:
        spark.sql(query).collect()
        made = engines.requests() - before
    except Exception as error:  # the other queries say something too
        made = str(error)[:500]
    print("right" if made == int(expected) else "wrong", f"{made} instead of {expected}: {query}")
spark.stop()
