"""resume_killed.py MODEL OUT ROWS [HOLD]: the job of elastic.py by Resume, in chunks.

With HOLD, every second task makes that file, with the application's id, and waits, once two chunks are written, so that the driver can
be killed in the midst of the third.
Prints as JSON what Resume reports, and how many rows were given to the model.
"""
import json
import os
import sys
import time

from py4j.java_gateway import JavaObject
from pyspark import TaskContext
from pyspark.java_gateway import ensure_callback_server_started
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import udf

model, out, rows, *hold = sys.argv[1:]
spark = SparkSession.builder.appName("resume").getOrCreate()
context, jvm = spark.sparkContext, spark._jvm
ensure_callback_server_started(context._gateway)
given, application = context.accumulator(0), context.applicationId
CHUNKS, FILES_OF_TWO_CHUNKS = 6, 4


@udf("string")
def counted(text):
    given.add(1)
    if hold and TaskContext.get().partitionId() == 1 and sum(name.startswith("part-") for name in os.listdir(out)) >= FILES_OF_TWO_CHUNKS:
        with open(hold[0] + ".partial", "w") as file:
            file.write(application)
        os.rename(file.name, hold[0])
        time.sleep(600)
    return text


class Job:
    """A java.util.function.UnaryOperator of data sets."""

    def apply(self, chunk: JavaObject) -> JavaObject:
        table = DataFrame(chunk, spark).repartition(2, "id").select("id", counted("q").alias("q"))
        generation = (
            jvm.io.kindling.spark.Generation.of(model).prompt("{q}").key("id").into("answer")
            .option("temperature", "0.8").option("seed", "7").option("maxNewTokens", "16").option("ignoreEos", "true")
        )
        return DataFrame(generation.apply(table._jdf), spark).select("id", "answer")._jdf

    class Java:
        implements = ["java.util.function.UnaryOperator"]


os.makedirs(out, exist_ok=True)
table = spark.range(int(rows)).selectExpr("id", "concat('row ', id, ' of many') AS q")
report = jvm.io.kindling.spark.Resume.byKey("id").into("json", out).chunks(CHUNKS).run(table._jdf, Job())
print(json.dumps({"found": report.found(), "written": report.written(), "left": report.left(), "given": given.value, "application": application}))
spark.stop()
