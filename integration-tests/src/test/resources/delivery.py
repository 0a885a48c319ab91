"""delivery.py modes|faults MODEL CACHE: how a model reaches executors that share the node cache CACHE.

modes: in every way there is; --archives brought the model as "model" too. faults: sent, with executors killed as they write it, and with
what they wrote damaged behind their back. Prints a line of JSON for each thing that was seen.
"""
import json
import os
import signal
import sys
import threading
import time

import processes
from pyspark.sql import SparkSession

case, model, cache = sys.argv[1:]
spark = SparkSession.builder.appName("delivery").getOrCreate()
context = spark.sparkContext
SECONDS = 240


def executors():
    return processes.executors(context.applicationId)


def report(name, **seen):
    print(json.dumps({"case": name, **seen}), flush=True)


def answers(name, uri, distribution, **seen):
    spark.conf.set("spark.kindling.distribution", distribution)
    rows = spark.range(0, 40, 1, 8).selectExpr("id", "concat('row ', id) q")
    asked = rows.selectExpr("id", f"onnx.generate('{uri}', q, map('max_new_tokens', 8)) a")
    texts = [row.a for row in sorted(asked.collect())]
    report(name, answers=texts, cache=sorted(os.listdir(cache)) if os.path.isdir(cache) else [], **seen)


def writers():
    """Executors that have a file of a package open which is not whole."""
    found = []
    for pid in executors():
        try:
            files = [os.readlink(f"/proc/{pid}/fd/{fd}") for fd in os.listdir(f"/proc/{pid}/fd")]
        except OSError:
            continue  # it ended, or closed one, meanwhile
        if any(".partial/" in file for file in files):
            found.append(pid)
    return found


def kill_writers(count, killed):
    end = time.time() + SECONDS
    while len(killed) < count and time.time() < end:
        for pid in writers():
            if len(killed) < count and pid not in killed:
                os.kill(pid, signal.SIGKILL)
                killed.append(pid)
        time.sleep(0.01)


def start_anew():
    """Executors without the model, since one that has it looks at the disk no more."""
    for pid in executors():
        os.kill(pid, signal.SIGKILL)


def faults():
    killed = []
    killer = threading.Thread(target=kill_writers, args=(2, killed))
    killer.start()
    answers("killed", model, "broadcast", killed=killed)
    killer.join()
    package = next(os.path.join(cache, name) for name in os.listdir(cache) if os.path.isdir(os.path.join(cache, name)))
    large = os.path.join(package, "large.bin")

    def flip():
        with open(large, "r+b") as file:
            file.seek(1000)
            file.write(b"\1")

    def whole():
        with open(large, "rb") as file:
            file.seek(1000)
            return file.read(1) == b"\0" and os.path.getsize(large) == os.path.getsize(os.path.join(model, "large.bin"))

    damages = {
        "flipped": flip,
        "cut": lambda: os.truncate(large, 1000),
        "missing": lambda: os.remove(large),
        "without sums": lambda: os.remove(package + ".sums"),
    }
    for name, damage in damages.items():
        start_anew()
        damage()
        answers(name, model, "broadcast")
        report(name + " afterwards", whole=whole())


if case == "modes":
    for distribution, uri in [("path", model), ("files", "model"), ("auto", model), ("broadcast", model)]:
        answers(distribution, uri, distribution)
else:
    faults()
report("ids", application=context.applicationId)
spark.stop()
