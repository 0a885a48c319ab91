"""snippets.py FILE MODEL ENCODER CLASSIFIER GRAPH: runs the SQL, Python and Java snippets of a file of JSON lines in one session.

Prints 'ran PLACE' for each, and 'FAILED PLACE' with the error for those that fail. The Java ones are methods of io.kindling.snippets.Snippets.
"""
import json
import sys
import traceback

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

file, model, encoder, classifier, graph = sys.argv[1:]
spark = SparkSession.builder.getOrCreate()
for alias, uri in {"smollm2": model, "minilm": encoder, "sentiment": classifier, "churn": graph}.items():
    spark.conf.set("spark.kindling.model." + alias, uri)
spark.conf.set("spark.kindling.maxNewTokens", "4")  # for those that do not say how many

texts = spark.createDataFrame([(1, "The capital of France is", "Works."), (2, "Why?", "It broke.")], "id INT, question STRING, review STRING")
texts = texts.coalesce(1)
turn = F.struct(F.lit("user").alias("role"), F.col("question").alias("content"))
tables = {
    "questions": texts.select("id", "question", F.lit("en").alias("lang")),
    "conversations": texts.select("id", F.array(turn).alias("conversation")),
    "tickets": texts.select("id", F.col("review").alias("text")),
    "reviews": texts.select("id", "review"),
    "customers": spark.createDataFrame([(1, [0.2, 0.9]), (2, [0.8, 0.1])], "id INT, features ARRAY<FLOAT>"),
}
for name, table in tables.items():
    table.createOrReplaceTempView(name)


def run_sql(text):
    code = "\n".join(line.partition("--")[0] for line in text.splitlines())
    for statement in filter(str.strip, code.split(";")):
        spark.sql(statement).collect()


def run_python(text):
    exec(compile(text, place, "exec"), {"spark": spark})


def run_java(text):
    method = getattr(spark._jvm.io.kindling.snippets.Snippets, f"snippet{java_snippets}")
    method(*[tables[name]._jdf for name in ("questions", "conversations", "reviews", "customers", "tickets")])


java_snippets = 0
runners = {"sql": run_sql, "python": run_python, "java": run_java}
with open(file, encoding="utf-8") as lines:
    snippets = [json.loads(line) for line in lines]
for snippet in snippets:
    place, language = snippet["place"], snippet["language"]
    if language in runners:
        try:
            runners[language](snippet["text"])
        except Exception:
            traceback.print_exc()
            print("FAILED", place, str(sys.exc_info()[1])[:2000])
        print("ran", place, flush=True)
        java_snippets += language == "java"
spark.stop()
