"""many_rows.py MODEL OUT ROWS: generates for many rows and watches the memory of driver and executors and what is written.

Prints a line of JSON with samples (seconds, [anonymous MiB of each process, the driver first], bytes written) and the rows at the end.
"""
import json
import os
import sys
import threading
import time

from pyspark.sql import DataFrame, SparkSession

model, out, rows = sys.argv[1], sys.argv[2], int(sys.argv[3])
spark = SparkSession.builder.appName("many rows").getOrCreate()
context, jvm = spark.sparkContext, spark._jvm


def anonymous(pid):
    with open(f"/proc/{pid}/status") as status:
        return next(int(line.split()[1]) >> 10 for line in status if line.startswith("RssAnon"))


def executors():
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                words = file.read().split(b"\0")
        except OSError:
            continue
        if b"org.apache.spark.executor.CoarseGrainedExecutorBackend" in words and context.applicationId.encode() in words:
            yield int(pid)


def written():
    size = 0
    for folder, _, files in os.walk(out):
        for name in files:
            try:
                size += os.path.getsize(os.path.join(folder, name))
            except OSError:
                pass  # moved meanwhile
    return size


samples, over = [], threading.Event()
processes = [jvm.java.lang.ProcessHandle.current().pid(), *sorted(executors())]


def watch():
    start = time.time()
    while not over.wait(5):
        samples.append([round(time.time() - start), [anonymous(pid) for pid in processes], written()])


generation = (
    jvm.io.kindling.spark.Generation.of(model).prompt("{q}").key("id").into("answer")
    .option("temperature", "0.8").option("maxNewTokens", "2").option("ignoreEos", "true").option("inFlight", "256")
)
table = spark.range(0, rows, 1, 4).selectExpr("id", "concat('row ', id) AS q")
watcher = threading.Thread(target=watch)
watcher.start()
began = time.time()
DataFrame(generation.apply(table._jdf), spark).select("id", "answer").write.json(out)
seconds = time.time() - began
over.set()
watcher.join()
counted = spark.read.json(out).selectExpr("count(*) AS n", "count(DISTINCT id) AS ids", "count(answer) AS answers").first()
print(json.dumps({"samples": samples, "seconds": round(seconds, 1), **counted.asDict()}))
spark.stop()
