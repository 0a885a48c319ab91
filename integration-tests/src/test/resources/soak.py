"""soak.py MODEL OTHER_MODEL FOLDER SECONDS: many short jobs in one session, and what driver and executor hold between them.

In each round two models are opened in turn (they leave after a second of idleness), by the DataFrame API and by SQL; a job is cancelled
in mid-stage; an executor's tasks fail and are tried again; files are answered by a streaming query that ends when it has seen them.
Prints a line of JSON with what is held after some rounds each, then one with counts.
"""
import json
import os
import sys
import threading
import time

import processes
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import udf

model, other, folder, seconds = sys.argv[1], sys.argv[2], sys.argv[3], float(sys.argv[4])
SAMPLE_SECONDS = 15
spark = SparkSession.builder.appName("soak").getOrCreate()
context, jvm = spark.sparkContext, spark._jvm
context.setLogLevel("ERROR")
temporary = os.path.join(folder, "tmp")
source = os.path.join(folder, "source")
os.makedirs(source)
watched = {"driver": jvm.java.lang.ProcessHandle.current().pid(), "executor": processes.executors(context.applicationId)[0]}
counts = {"rounds": 0, "jobs": 0, "rows": 0, "cancelled": 0, "failing": 0, "streamed": 0}
table = spark.range(0, 200, 1, 4).selectExpr("id", "concat('row ', id, ' of many') AS q")
table.createOrReplaceTempView("many")


def generation(uri, new_tokens):
    return (
        jvm.io.kindling.spark.Generation.of(uri).prompt("{q}").key("id").into("answer")
        .option("temperature", "0.8").option("seed", "7").option("maxNewTokens", str(new_tokens)).option("ignoreEos", "true")
    )


def answers(uri, rows, new_tokens=12):
    return DataFrame(generation(uri, new_tokens).apply(rows._jdf), spark).select("id", "answer")


def count(name, frame):
    rows = frame.where("answer IS NOT NULL").count()
    counts["jobs"] += 1
    counts["rows"] += rows
    return rows


def cancel():
    group = f"cancel {counts['rounds']}"
    tracker = context.statusTracker()
    over = threading.Event()

    def watch():
        while not over.wait(0.02):
            infos = [tracker.getJobInfo(job) for job in tracker.getJobIdsForGroup(group)]
            stages = [tracker.getStageInfo(stage) for info in infos if info for stage in info.stageIds]
            if any(stage and stage.numActiveTasks for stage in stages):
                return context.cancelJobGroup(group)

    watcher = threading.Thread(target=watch)
    watcher.start()
    context.setJobGroup(group, group)
    try:
        answers(model, table, 1500).where("answer IS NOT NULL").count()
    except Exception:
        counts["cancelled"] += 1
    over.set()
    watcher.join()
    context.setJobGroup("calm", "calm")


def fail_once():
    """The first try of each task dies amid its rows; the second one does them all."""

    @udf("string")
    def fragile(text):
        from pyspark import TaskContext
        if TaskContext.get().attemptNumber() == 0 and text.startswith("row 1"):
            raise RuntimeError("on purpose")
        return text

    rows = table.where("id BETWEEN 100 AND 139").coalesce(2).withColumn("q", fragile("q"))
    assert count("failing", answers(model, rows)) == 40
    counts["failing"] += 1


def stream():
    number = counts["rounds"]
    with open(os.path.join(source, f".{number}"), "w") as file:
        file.writelines(json.dumps({"id": number * 10 + k, "q": f"row {number} {k}"}) + "\n" for k in range(10))
    os.rename(file.name, os.path.join(source, f"{number}.json"))
    read = spark.readStream.schema("id LONG, q STRING").json(source)
    query = (
        answers(other, read).writeStream.format("json").option("path", os.path.join(folder, "streamed"))
        .option("checkpointLocation", os.path.join(folder, "checkpoint")).trigger(availableNow=True).start()
    )
    query.awaitTermination()
    counts["streamed"] += 10


def one_round():
    assert count("plain", answers(model, table)) == 200
    by_sql = spark.sql(f"SELECT id, onnx.generate('{other}', q, map('max_new_tokens', '8', 'ignore_eos', 'true')) AS answer FROM many")
    assert count("sql", by_sql) == 200
    cancel()
    fail_once()
    stream()
    counts["rounds"] += 1


def files():
    """Temporary files, without those that Spark keeps for a shuffle or a broadcast until it collects them."""
    return sum(len(names) for parent, _, names in os.walk(temporary) if "blockmgr-" not in parent)


start = time.time()
while time.time() - start < seconds:
    begun = time.time()
    while time.time() - begun < SAMPLE_SECONDS:
        one_round()
    time.sleep(2)  # both models have left when nobody used them for a second
    sample = {name: processes.held(pid) for name, pid in watched.items()}
    print(json.dumps({"second": round(time.time() - start), "files": files(), **sample}), flush=True)
streamed = spark.read.json(os.path.join(folder, "streamed")).selectExpr("count(*) AS n", "count(DISTINCT id) AS ids").first()
print(json.dumps({**counts, "written": streamed.n, "different": streamed.ids}))
spark.stop()
