"""elastic.py CASE MODEL OUT GATES: the same sampled job undisturbed ("calm"), with executors that come and go ("allocation"), and with
an executor and a worker that are decommissioned in mid-stage ("decommission").

Tasks wait for files in the folder GATES, so that what is to happen in mid-stage does. Prints a line of JSON for each thing that was seen.
"""
import json
import os
import signal
import sys
import threading
import time

import processes
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import udf

case, model, out, gates = sys.argv[1:]
spark = SparkSession.builder.appName("elastic").getOrCreate()
context, jvm = spark.sparkContext, spark._jvm
ROWS, PARTITIONS, SECONDS = 480, 8, 240


def report(name, **seen):
    print(json.dumps({"case": name, **seen}), flush=True)


def executors():
    return processes.executors(context.applicationId)


def wait_until(what, condition):
    end = time.time() + SECONDS
    while not condition():
        if time.time() > end:
            raise TimeoutError(f"not within {SECONDS} s: {what}")
        time.sleep(0.1)


def open_gate(*names):
    for name in names:
        open(os.path.join(gates, name), "w").close()


def close_gates():
    for name in os.listdir(gates):
        os.remove(os.path.join(gates, name))


def waiting_rows():
    """The first row of all partitions but two waits for the gate "begin", and that of the last for the gate "end"."""
    size, folder, last, seconds = ROWS // PARTITIONS, gates, PARTITIONS - 1, SECONDS

    @udf("long")
    def pass_gates(row):
        partition = row // size
        waits = ["begin"] * (partition >= 2) + ["end"] * (partition == last) if row % size == 0 else []
        started = time.time()
        for gate in waits:
            while not os.path.exists(os.path.join(folder, gate)):
                if time.time() > started + seconds:
                    raise TimeoutError(f"gate {gate} stays closed")
                time.sleep(0.05)
        return row

    return spark.range(0, ROWS, 1, PARTITIONS).select(pass_gates("id").alias("id")).selectExpr("id", "concat('row ', id, ' of many') AS q")


def answers():
    generation = (
        jvm.io.kindling.spark.Generation.of(model).prompt("{q}").key("id").into("answer")
        .option("temperature", "0.8").option("seed", "7").option("maxNewTokens", "16").option("ignoreEos", "true")
    )
    return DataFrame(generation.apply(waiting_rows()._jdf), spark).select("id", "answer")


def write_while(name, events):
    """Runs the job with closed gates; ``events`` opens them as things happen."""
    close_gates()
    faults = []

    def watch():
        try:
            events()
        except Exception as fault:
            faults.append(str(fault))
            open_gate("begin", "end")

    watcher = threading.Thread(target=watch)
    watcher.start()
    context.setJobGroup(name, name)
    answers().write.json(f"{out}/{name}")
    watcher.join()
    report(name, faults=faults)


def mid_stage(group):
    """Whether two tasks of the job have ended and two others run."""
    tracker = context.statusTracker()
    jobs = [tracker.getJobInfo(job) for job in tracker.getJobIdsForGroup(group)]
    stages = [tracker.getStageInfo(stage) for job in jobs if job for stage in job.stageIds]
    return any(s and s.numTasks == PARTITIONS and s.numCompletedTasks == 2 and s.numActiveTasks == 2 for s in stages)


def allocation():
    def events():
        wait_until("three executors come", lambda: len(executors()) == 3)
        open_gate("begin")
        wait_until("all but one go, while its task goes on", lambda: len(executors()) == 1)
        open_gate("end")

    write_while("allocated", events)
    open_gate("begin", "end")
    answers().repartition(6, "id").write.json(f"{out}/shuffled")  # files of a shuffle keep executors until they are not needed
    wait_until("all go, their shuffle files unused", lambda: not executors())
    report("idle", executors=len(executors()))


def executor_number(pid):
    words = dict(processes.command_lines())[pid]
    return words[words.index("--executor-id") + 1]


def active(number):
    return context._jsc.sc().schedulerBackend().isExecutorActive(number)


def worker_folder(pid):
    """Workers start executors in WORK_DIR/APPLICATION/NUMBER."""
    return os.path.dirname(os.path.dirname(os.readlink(f"/proc/{pid}/cwd")))


def decommission():
    def leave(name, victim_of):
        """Tells an executor to go (or its worker) when it has a task, lets tasks go on, and the last one only when it is gone."""

        def events():
            wait_until("two executors have tasks", lambda: len(executors()) == 2 and mid_stage(name))
            pid = executors()[0]
            number = executor_number(pid)
            os.kill(victim_of(pid), signal.SIGPWR)
            wait_until("the driver knows", lambda: not active(number))
            report(name + "-left", number=number, ran=pid in executors())
            open_gate("begin")
            wait_until("the executor ends in order", lambda: pid not in executors())
            open_gate("end")

        write_while(name, events)

    def worker(pid):
        folder = worker_folder(pid)
        return next(p for p, words in processes.command_lines() if "org.apache.spark.deploy.worker.Worker" in words and folder in words)

    leave("executor", lambda pid: pid)
    leave("worker", worker)


if case == "calm":
    open_gate("begin", "end")
    answers().write.json(f"{out}/calm")
elif case == "allocation":
    allocation()
else:
    decommission()
report("ids", application=context.applicationId)
spark.stop()
