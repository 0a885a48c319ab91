"""source_tables.py MODEL FOLDER: reads a table of format("onnx") and prints what was asked of the engine, plans and rows, as JSON."""
import json
import sys

from pyspark.sql import SparkSession

model, folder = sys.argv[1:]
spark = SparkSession.builder.appName("source tables").config("spark.kindling.model.m", model).getOrCreate()
engines = spark._jvm.io.kindling.spark.runtime.TaskEngines
questions = spark.range(0, 8, 1, 1).selectExpr("id", "concat('Count to ', id) q", "id * 2 other", "named_struct('a', id, 'b', 'x') s")
questions.write.parquet(folder + "/files")
questions.write.bucketBy(2, "id").saveAsTable("buckets")
questions.createOrReplaceTempView("view")


def read(**options):
    reader = spark.read.format("onnx").option("model", "m").option("prompt", "{q}").option("maxNewTokens", 3)
    return reader.options(**options)


def asked(name, rows):
    before = engines.requests()
    result = [row.asDict(recursive=True) for row in rows.collect()]
    print(json.dumps({"name": name, "requests": engines.requests() - before, "rows": result}))


def plan(rows):
    return rows._jdf.queryExecution().executedPlan().toString()


files = read(**{"input.format": "parquet"}).load(folder + "/files")
table = read(table="buckets").load()
view = read(table="view", partitions=3, key="id", temperature=0.8).load()
asked("files", files.where("id > 5").orderBy("id"))
asked("tables", table.where("id < 2").select("id", "generated_details").orderBy("id"))
asked("views", view.where("id BETWEEN 3 AND 4").orderBy("id"))
asked("limits", files.limit(2).selectExpr("length(generated) >= 0 text"))
asked("counts", files.groupBy().count())
asked("unions", files.union(files).groupBy("id").count().orderBy("id"))
asked("self-joins", files.alias("x").join(files.alias("y"), "id").where("x.generated = y.generated").select("id").orderBy("id"))
spark.conf.set("spark.sql.adaptive.enabled", "false")
asked("without AQE", files.where("id < 3").groupBy("generated").count().selectExpr("sum(count) n"))
files.select("id", "generated").cache().createOrReplaceTempView("cached")
asked("caches", spark.sql("SELECT id, length(generated) > 0 text FROM cached ORDER BY id"))
asked("cached", spark.sql("SELECT count(generated) n FROM cached"))
print(json.dumps({"name": "schema", "schema": files.schema.jsonValue()}))
spark.conf.set("spark.sql.autoBroadcastJoinThreshold", "-1")
plans = {
    "filters": plan(files.where("id > 5").select("generated", "s.a")),
    "join": plan(table.select("id", "generated").join(spark.table("buckets"), "id")),
    "split": plan(view.select("generated")),
}
print(json.dumps({"name": "plans", "plans": plans}))
spark.stop()
