#!/usr/bin/env python3
"""onnx.generate in SQL against the DataFrame API, in one Spark with one loaded model, interleaved.

    python3 tools/compare_sql.py MODEL_DIR [--rounds 5] [--rows 128] [--new 32] [--partitions 2]

Prompts are distinct and of unlike lengths; equal prompts and beginnings are not computed once. After one run of each that is not counted,
each round times both, in alternating order. The table shows medians: rows per second, and seconds of CPU of Spark's process (Linux), which
others on the machine disturb less. Both sides must give the same texts. Needs connector/target/kindling.jar (./quickstart builds it).
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys

import pyenv

ROOT = pathlib.Path(__file__).resolve().parent.parent
JAR = ROOT / "connector" / "target" / "kindling.jar"
SPARK = "spark-4.3.0"

JOB = """
import json, os, sys, time
from pyspark.sql import DataFrame, SparkSession
model, rounds, rows, new, partitions, jar = sys.argv[1:]
spark = (
    SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").config("spark.driver.memory", "2g")
    .config("spark.jars", jar).config("spark.kindling.model.m", model).config("spark.kindling.maxNewTokens", new)
    .config("spark.kindling.ignoreEos", "true").config("spark.kindling.deduplicate", "false")
    .config("spark.kindling.prefixCache", "false").getOrCreate()
)
spark.sparkContext.setLogLevel("ERROR")
spark.range(int(rows)).selectExpr(
    "id", "concat('Ticket ', id, ': ', repeat('the parcel came late and the box was wet. ', 1 + id % 5), 'Answer:') q"
).repartition(int(partitions)).cache().createOrReplaceTempView("t")
spark.table("t").count()

def cpu():
    fields = open(f"/proc/{spark.sparkContext._gateway.proc.pid}/stat").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

def sql():
    return spark.sql("SELECT id, onnx.generate('m', q) a FROM t")

def frame():
    generation = spark._jvm.io.kindling.spark.Generation.of("m").prompt("{q}").into("a")
    return DataFrame(generation.apply(spark.table("t")._jdf), spark)

def run(side):
    seconds, burnt = time.perf_counter(), cpu()
    texts = side().selectExpr("count(a)", "sum(hash(id, a))").first()
    return time.perf_counter() - seconds, cpu() - burnt, list(texts)

sides = {"sql": sql, "frame": frame}
for name, side in sides.items():
    run(side)
for turn in range(int(rounds)):
    for name in list(sides)[::-1] if turn % 2 else list(sides):
        seconds, burnt, texts = run(sides[name])
        print(json.dumps({"side": name, "seconds": seconds, "cpu": burnt, "texts": texts}), flush=True)
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--rows", type=int, default=128)
    parser.add_argument("--new", type=int, default=32)
    parser.add_argument("--partitions", type=int, default=2)
    options = parser.parse_args()
    if not JAR.exists():
        raise SystemExit(f"{JAR} is missing; build it first with ./quickstart or mvn package")
    python = pyenv.environment(SPARK)
    packages = next((python.parent.parent / "lib").glob("python*")) / "site-packages"
    environment = dict(os.environ, SPARK_HOME=str(packages / "pyspark"), PYSPARK_PYTHON=str(python), SPARK_LOCAL_IP="127.0.0.1")
    given = [pathlib.Path(options.model).resolve().as_uri(), options.rounds, options.rows, options.new, options.partitions, JAR]
    done = subprocess.run([str(python), "-c", JOB, *map(str, given)], stdout=subprocess.PIPE, stderr=sys.stderr, text=True, env=environment)
    runs = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode != 0 or len(runs) != 2 * options.rounds:
        raise SystemExit(f"the job failed with {done.returncode}")
    texts = {tuple(run["texts"]) for run in runs}
    if len(texts) != 1:
        raise SystemExit(f"the two sides disagree: {texts}")
    print(f"load of the machine at the end: {os.getloadavg()[0]:.1f}")
    print("| | SQL | DataFrame API | SQL in proportion |\n|---|---|---|---|")
    median = {
        (side, figure): statistics.median(run[figure] for run in runs if run["side"] == side)
        for side in ("sql", "frame") for figure in ("seconds", "cpu")
    }
    rate = {side: options.rows / median[side, "seconds"] for side in ("sql", "frame")}
    print(f"| rows/s | {rate['sql']:.2f} | {rate['frame']:.2f} | {rate['sql'] / rate['frame']:.2f} |")
    burnt = {side: median[side, "cpu"] for side in ("sql", "frame")}
    print(f"| CPU seconds | {burnt['sql']:.1f} | {burnt['frame']:.1f} | {burnt['sql'] / burnt['frame']:.2f} |")


if __name__ == "__main__":
    main()
