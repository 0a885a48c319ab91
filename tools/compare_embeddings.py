#!/usr/bin/env python3
"""Kindling's onnx.embed against ONNX Runtime inside mapInPandas, in Spark, interleaved.

    python3 tools/compare_embeddings.py MODEL_DIR [--rounds 3] [--texts 6000] [--tokens 8-48,32,128] [--partitions 2]

MODEL_DIR is an encoder's package with model.onnx and tokenizer.json. Each round runs one job of each side in a fresh Spark,
in alternating order: texts of N (or of N to M) words from a fixed list, most of them one token each, as one column; after a
job over an eighth of them that is not counted, the time of embedding all. The peer sorts each Arrow batch of 1,024 rows by
length, pads 32 texts to the longest, pools by the mean, normalises, and gives each partition its share of the cores. The table
shows medians in rows per second. Needs connector/target/kindling.jar (./quickstart builds it).
"""
import argparse
import json
import os
import pathlib
import random
import statistics
import subprocess
import tempfile

import pyenv

ROOT = pathlib.Path(__file__).resolve().parent.parent
JAR = ROOT / "connector" / "target" / "kindling.jar"
SPARK = "spark-4.3.0"
WORDS = "time year people way day man thing woman life child world school state family student group country problem hand part".split()

JOB = """
import json, sys, time
from pyspark.sql import SparkSession
side, model, texts, partitions, jar = sys.argv[1:6]
partitions = int(partitions)
builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").config("spark.driver.memory", "4g")
builder = builder.config("spark.sql.execution.arrow.maxRecordsPerBatch", 1024)
if side == "kindling":
    builder = builder.config("spark.jars", jar).config("spark.kindling.model.peer", "file://" + model)
spark = builder.getOrCreate()
spark.sparkContext.setLogLevel("ERROR")

def peer(batches):
    import numpy as np, onnxruntime as ort, pandas as pd
    from tokenizers import Tokenizer
    options = ort.SessionOptions()
    options.intra_op_num_threads = max(1, 2 // partitions)
    session = ort.InferenceSession(model + "/model.onnx", options, providers=["CPUExecutionProvider"])
    tokenizer = Tokenizer.from_file(model + "/tokenizer.json")
    tokenizer.enable_truncation(256)
    tokenizer.no_padding()
    names = {port.name for port in session.get_inputs()}
    for batch in batches:
        encodings = tokenizer.encode_batch(list(batch.text))
        order = sorted(range(len(encodings)), key=lambda row: len(encodings[row].ids))
        vectors = [None] * len(order)
        for start in range(0, len(order), 32):
            rows = order[start:start + 32]
            ids = np.zeros((len(rows), len(encodings[rows[-1]].ids)), np.int64)
            mask = np.zeros_like(ids)
            for place, row in enumerate(rows):
                ids[place, :len(encodings[row].ids)] = encodings[row].ids
                mask[place, :len(encodings[row].ids)] = 1
            inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
            states = session.run(None, {name: value for name, value in inputs.items() if name in names})[0]
            pooled = (states * mask[..., None]).sum(1) / mask.sum(1, keepdims=True)
            pooled /= np.linalg.norm(pooled, axis=1, keepdims=True)
            for place, row in enumerate(rows):
                vectors[row] = pooled[place].astype(np.float32).tolist()
        yield pd.DataFrame({"vector": vectors})

def seconds(frame):
    start = time.perf_counter()
    made = frame.selectExpr("onnx.embed('peer', text) AS vector") if side == "kindling" else frame.mapInPandas(peer, "vector array<float>")
    rows, total = made.selectExpr("count(vector)", "sum(vector[0])").first()
    return time.perf_counter() - start, rows, total

table = spark.read.json(texts).repartition(partitions).cache()
table.count()
seconds(table.limit(table.count() // 8).repartition(partitions))
taken, rows, total = seconds(table)
print(json.dumps({"rows_s": rows / taken, "rows": rows, "total": total}))
"""


def job(side: str, model: str, texts: str, partitions: int) -> dict:
    spark = pyenv.environment(SPARK)
    packages = next((spark.parent.parent / "lib").glob("python*")) / "site-packages"
    python = pyenv.environment("embedding-peer")
    environment = dict(os.environ, PYTHONPATH=str(packages), SPARK_HOME=str(packages / "pyspark"), PYSPARK_PYTHON=str(python),
                       SPARK_LOCAL_IP="127.0.0.1")
    done = subprocess.run([str(python), "-c", JOB, side, model, texts, str(partitions), str(JAR)], capture_output=True, text=True, env=environment)
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode != 0 or not lines:
        raise SystemExit(f"the job of {side} failed:\n{done.stderr[-3000:]}")
    return json.loads(lines[-1])


def write_texts(path: str, count: int, tokens: str) -> None:
    low, high = (int(end) for end in (tokens.split("-") if "-" in tokens else (tokens, tokens)))
    draw = random.Random(7)
    with open(path, "w") as out:
        for _ in range(count):
            # two tokens are the tokenizer's own
            words = draw.choices(WORDS, k=max(1, draw.randint(low, high) - 2))
            out.write(json.dumps({"text": " ".join(words)}) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--texts", type=int, default=6000)
    parser.add_argument("--tokens", default="8-48,32,128")
    parser.add_argument("--partitions", type=int, default=2)
    options = parser.parse_args()
    if not JAR.exists():
        raise SystemExit(f"{JAR} is missing; build it first with ./quickstart or mvn package")
    model = str(pathlib.Path(options.model).resolve())
    print("| tokens a text | Kindling rows/s | ONNX Runtime rows/s | ratio |\n|---|---|---|---|")
    for tokens in options.tokens.split(","):
        rates = {"kindling": [], "onnxruntime": []}
        with tempfile.TemporaryDirectory() as folder:
            texts = str(pathlib.Path(folder, "texts.jsonl"))
            write_texts(texts, options.texts, tokens)
            for turn in range(options.rounds):
                totals = {}
                for side in list(rates)[::-1] if turn % 2 else list(rates):
                    result = job(side, model, texts, options.partitions)
                    rates[side].append(result["rows_s"])
                    totals[side] = result["total"]
                if abs(totals["kindling"] - totals["onnxruntime"]) > 1e-5 * options.texts:
                    raise SystemExit(f"the two sides disagree: sums of first elements {totals}")
        ours, theirs = (statistics.median(rates[side]) for side in ("kindling", "onnxruntime"))
        print(f"| {tokens} | {ours:.0f} | {theirs:.0f} | {ours / theirs:.2f} |", flush=True)


if __name__ == "__main__":
    main()
