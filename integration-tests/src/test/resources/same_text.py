"""same_text.py MODEL ROWS NEW_TOKENS OUT: the rows in batches, in 1 and in 7 partitions, one by one, and read with their answers."""
import sys

from pyspark.sql import DataFrame, SparkSession

model, rows, new_tokens, out = sys.argv[1:]
spark = SparkSession.builder.appName("same text").getOrCreate()
jvm = spark._jvm
table = spark.read.json(rows)


def batches(partitions):
    generation = (
        jvm.io.kindling.spark.Generation.of(model)
        .prompt("{prompt}")
        .option("maxNewTokens", new_tokens)
        .into("answer")
    )
    answers = DataFrame(generation.apply(table.repartition(partitions)._jdf), spark)
    answers.select("id", "answer").write.json(f"{out}/batches-in-{partitions}")


batches(1)
batches(7)

spark.conf.set("spark.kindling.model.smollm2", model)
table.repartition(4).createOrReplaceTempView("rows")
spark.sql(
    f"SELECT id, onnx.generate('smollm2', prompt, map('max_new_tokens', {new_tokens})) AS answer FROM rows"
).write.json(f"{out}/one-by-one")

answers = (
    spark.read.format("onnx")
    .option("model", "smollm2")
    .option("prompt", "{prompt}")
    .option("maxNewTokens", new_tokens)
    .option("into", "answer")
    .option("input.format", "json")
    .load(rows)
)
answers.select("id", "answer").write.json(f"{out}/read")
print("inputs", spark.sql("SELECT name FROM onnx.smollm2.ports WHERE direction = 'input'").count())

# A model of this size, asked at temperature 1, says no such thing by itself.
form = "n INT NOT NULL, day DATE NOT NULL, ok BOOLEAN NOT NULL"
drawn = "map('temperature', '1', 'max_new_tokens', '96')"
few = "(SELECT id, prompt FROM rows ORDER BY id LIMIT 10)"
held = f"SELECT onnx.extract('smollm2', prompt, '{form}', {drawn}) AS e FROM {few}"
free = f"SELECT from_json(onnx.chat('smollm2', prompt, {drawn}), '{form}') AS e FROM {few}"
for name, query in ("held", held), ("free", free):
    print(name, spark.sql(f"SELECT count(bigint(e.n) + year(e.day) + int(e.ok)) FROM ({query})").first()[0])

print("sessions", jvm.io.kindling.spark.runtime.TaskEngines.sessionsOpened())
spark.stop()
