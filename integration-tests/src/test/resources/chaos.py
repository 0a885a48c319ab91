"""chaos.py MODEL OTHER_MODEL OUT ROWS: the same sampled job undisturbed, with executors killed and stopped, and cancelled.

Prints a line of JSON for each thing that was seen. Executors are the processes of this machine that carry the application's id.
"""
import json
import os
import signal
import subprocess
import sys
import threading
import time

import processes
from pyspark.sql import DataFrame, SparkSession

model, other, out, rows = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
spark = SparkSession.builder.appName("chaos").getOrCreate()
context, jvm = spark.sparkContext, spark._jvm
PARTITIONS = 12
table = spark.range(rows).selectExpr("id", "concat('row ', id, ' of many') AS q").repartition(PARTITIONS, "id")


def report(case, **seen):
    print(json.dumps({"case": case, **seen}), flush=True)


def executors():
    return processes.executors(context.applicationId)


def answers(folder, new_tokens=24):
    generation = (
        jvm.io.kindling.spark.Generation.of(folder).prompt("{q}").key("id").into("answer")
        .option("temperature", "0.8").option("seed", "7").option("maxNewTokens", str(new_tokens)).option("ignoreEos", "true")
    )
    return DataFrame(generation.apply(table._jdf), spark).select("id", "answer")


def write(name, folder=model):
    answers(folder).write.json(f"{out}/{name}")


def amid(action, group):
    """Runs an action once the job of a group has ended a task and others run."""
    tracker = context.statusTracker()

    def watch():
        while True:
            for job in tracker.getJobIdsForGroup(group):
                info = tracker.getJobInfo(job)
                for stage in info.stageIds if info else ():
                    progress = tracker.getStageInfo(stage)
                    if progress and progress.numTasks == PARTITIONS and 0 < progress.numCompletedTasks and progress.numActiveTasks:
                        return action()
            time.sleep(0.02)

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    return thread


def disturbed(name, action):
    context.setJobGroup(name, name)
    thread = amid(action, name)
    write(name)
    report(name, disturbed=not thread.is_alive())
    context.setJobGroup("calm", "calm")


def kill_two():
    victims = executors()[:2]
    for pid in victims:
        os.kill(pid, signal.SIGKILL)
        time.sleep(0.5)


def stop_one():
    pid = executors()[0]
    os.kill(pid, signal.SIGSTOP)
    threading.Timer(8, lambda: os.kill(pid, signal.SIGCONT)).start()


# The plugin sends the model and loads it, before there is a job.
cache = spark.conf.get("spark.kindling.cacheDir")
for _ in range(120):
    warm = os.path.isdir(cache) and any(os.path.isdir(os.path.join(cache, name)) for name in os.listdir(cache))
    if warm:
        break
    time.sleep(0.5)
report("warm", sent=warm)

write("undisturbed")
write("other", other)
disturbed("killed", kill_two)
disturbed("speculated", stop_one)

context.setJobGroup("cancelled", "cancelled")
cancelling = amid(lambda: context.cancelJobGroup("cancelled"), "cancelled")
try:
    answers(model, 48).write.json(f"{out}/cancelled")
    report("cancelled", ended="by itself")
except Exception as error:
    report("cancelled", ended="cancelled" if "cancelled" in str(error) else str(error))
context.setJobGroup("calm", "calm")
write("afterwards")
write("other-again", other)

# Idle models leave after a second: then no executor maps a file of theirs, but for what Java unmaps at its next collection.
mapped = None
for _ in range(30):
    time.sleep(1)
    mapped = 0
    for pid in executors():
        subprocess.run([os.path.join(os.environ["JAVA_HOME"], "bin", "jcmd"), str(pid), "GC.run"], stdout=subprocess.DEVNULL, check=True)
        with open(f"/proc/{pid}/maps") as maps:
            mapped += sum("model.onnx" in line for line in maps)
    if mapped == 0:
        break
report("idle", mapped=mapped, executors=len(executors()))
report("ids", application=context.applicationId)
spark.stop()
