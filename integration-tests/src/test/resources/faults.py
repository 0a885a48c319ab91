"""faults.py MODEL ROWS CUT WITHOUT_TOKENIZER MISSING SCRIPTED: prints {"case", "result"} for bad rows, models and options."""
import json
import sys

from pyspark.sql import DataFrame, SparkSession

model, rows, cut, without_tokenizer, missing, scripted = sys.argv[1:]
spark = SparkSession.builder.appName("faults").getOrCreate()
jvm = spark._jvm
table = spark.read.json(rows)
table.createOrReplaceTempView("rows")


spark.range(200).selectExpr("id", "repeat('x', 5000) AS prompt").coalesce(1).createOrReplaceTempView("too_long")


def by_function(folder, options="map('max_new_tokens', 4)", view="rows"):
    return spark.sql(f"SELECT id, onnx.generate_details('{folder}', prompt, {options}) AS d FROM {view}")


def in_batches(folder, options={"max_new_tokens": "4"}, view="rows"):
    generation = jvm.io.kindling.spark.Generation.of(folder).prompt("{prompt}").into("text").details("d")
    for name, value in options.items():
        generation = generation.option(name, value)
    return DataFrame(generation.apply(spark.table(view)._jdf), spark).select("id", "d")


def report(case, action):
    try:
        # Sorted here: Spark's sort would run the function a second time, to sample its ranges.
        result = [row.d and row.d.asDict() for row in sorted(action().collect(), key=lambda row: row.id)]
    except Exception as error:  # what users see in a notebook
        result = str(error)
    print(json.dumps({"case": case, "result": result}))


def as_map(options):
    return "map(" + ", ".join(f"'{name}', '{value}'" for name, value in options.items()) + ")"


bad = {"max_new_tokenz": "4", "temperature": "-1"}
cutting = {"max_new_tokens": "4", "ignore_eos": "true", "on_overflow": "truncate_left"}
tolerant = {"max_new_tokens": "4", "max_error_fraction": "0.5"}
strict = {"max_new_tokens": "4", "on_error": "fail"}
for way, run, form in (("by function", by_function, as_map), ("in batches", in_batches, dict)):
    report(f"rows {way}", lambda: run(model))
    report(f"cut {way}", lambda: run(cut))
    report(f"without tokenizer {way}", lambda: run(without_tokenizer))
    report(f"missing {way}", lambda: run(missing))
    report(f"bad options {way}", lambda: run(model, form(bad)))
    report(f"overflow {way}", lambda: run(scripted, form(cutting)))
    report(f"too many {way}", lambda: run(scripted, form(tolerant), "too_long"))
    report(f"first one {way}", lambda: run(scripted, form(strict), "too_long"))
spark.stop()
