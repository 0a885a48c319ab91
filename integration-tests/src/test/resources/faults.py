"""faults.py MODEL ROWS CUT WITHOUT_TOKENIZER MISSING: prints {"case", "result"} for bad rows, models and options."""
import json
import sys

from pyspark.sql import DataFrame, SparkSession

model, rows, cut, without_tokenizer, missing = sys.argv[1:]
spark = SparkSession.builder.appName("faults").getOrCreate()
jvm = spark._jvm
table = spark.read.json(rows)
table.createOrReplaceTempView("rows")


def by_function(folder, options="map('max_new_tokens', 4)"):
    return spark.sql(f"SELECT id, onnx.generate_details('{folder}', prompt, {options}) AS d FROM rows")


def in_batches(folder, options={"max_new_tokens": "4"}):
    generation = jvm.io.kindling.spark.Generation.of(folder).prompt("{prompt}").into("text").details("d")
    for name, value in options.items():
        generation = generation.option(name, value)
    return DataFrame(generation.apply(table._jdf), spark).select("id", "d")


def report(case, action):
    try:
        # Sorted here: Spark's sort would run the function a second time, to sample its ranges.
        result = [row.d and row.d.asDict() for row in sorted(action().collect(), key=lambda row: row.id)]
    except Exception as error:  # what users see in a notebook
        result = str(error)
    print(json.dumps({"case": case, "result": result}))


bad = {"max_new_tokenz": "4", "temperature": "-1"}
for way, run, bad_options in (
    ("by function", by_function, "map('max_new_tokenz', '4', 'temperature', '-1')"),
    ("in batches", in_batches, bad),
):
    report(f"rows {way}", lambda: run(model))
    report(f"cut {way}", lambda: run(cut))
    report(f"without tokenizer {way}", lambda: run(without_tokenizer))
    report(f"missing {way}", lambda: run(missing))
    report(f"bad options {way}", lambda: run(model, bad_options))
spark.stop()
