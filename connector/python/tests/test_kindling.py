"""The module against the SQL functions that it builds calls of.

    KINDLING_JAR=… KINDLING_MODEL=… KINDLING_ENCODER=… python -m unittest discover connector/python/tests

With SPARK_REMOTE the session is a Spark Connect server's, which has the jar.
"""

import json
import math
import os
import tempfile
import unittest

from pyspark.sql import SparkSession
from pyspark.sql.functions import array, col, lit, struct

import kindling
from kindling import functions as onnx

PROMPTS = [(1, "The capital of France is", 3), (2, "Once upon a time", 5), (3, None, 4)]


def session():
    if "SPARK_REMOTE" in os.environ:
        return SparkSession.builder.remote(os.environ["SPARK_REMOTE"]).getOrCreate()
    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    return kindling.configure(builder, os.environ["KINDLING_JAR"]).getOrCreate()


class KindlingTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.spark = session()
        kindling.register_model(cls.spark, "smollm2", os.environ["KINDLING_MODEL"])
        kindling.register_model(cls.spark, "minilm", os.environ["KINDLING_ENCODER"])
        cls.df = cls.spark.createDataFrame(PROMPTS, "id INT, prompt STRING, n INT").coalesce(1)
        cls.df.createOrReplaceTempView("prompts")

    @classmethod
    def tearDownClass(cls):
        cls.spark.stop()

    def same(self, column, sql):
        """The rows of a column, which must be those of a SQL expression."""
        rows = [row.value for row in self.df.select(column.alias("value")).collect()]
        self.assertEqual(rows, [row.value for row in self.spark.sql(f"SELECT {sql} AS value FROM prompts").collect()])
        return rows

    def test_generate_with_options_of_every_type(self):
        rows = self.same(
            onnx.generate("smollm2", self.df.prompt, max_new_tokens=6, top_p=0.5, prefix_cache=True, stop_strings=["\n", "?"]),
            r"""onnx.generate('smollm2', prompt, map('max_new_tokens', '6', 'top_p', '0.5', 'prefix_cache', 'true',
                'stop_strings', '["\\n", "?"]'))""",
        )
        self.assertIn("Paris", rows[0])
        self.assertIsNone(rows[2])

    def test_options_and_models_may_be_columns(self):
        details = onnx.generate_details(lit("smollm2"), "prompt", max_new_tokens=self.df.n, ignore_eos=True)
        rows = self.same(
            details.generated_tokens,
            "onnx.generate_details('smollm2', prompt, map('max_new_tokens', cast(n AS STRING), 'ignore_eos', 'true')).generated_tokens",
        )
        self.assertEqual(rows, [3, 5, None])

    def test_the_error_of_a_row_is_in_its_details(self):
        details = onnx.generate_details("smollm2", lit("word " * 9000), max_new_tokens=1)
        row = self.df.limit(1).select(details.alias("d")).select("d.text", "d.error").first()
        self.assertIsNone(row.text)
        self.assertIn("8192", row.error)

    def test_conversations(self):
        turns = array(onnx.message("system", lit("Be brief.")), onnx.message("user", "prompt"))
        sql = "array(struct('system' AS role, 'Be brief.' AS content), struct('user' AS role, prompt AS content))"
        text = self.same(onnx.render_prompt("smollm2", turns), f"onnx.render_prompt('smollm2', {sql})")[0]
        self.assertEqual(
            text,
            "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nThe capital of France is<|im_end|>\n<|im_start|>assistant\n",
        )
        self.same(onnx.chat("smollm2", turns, max_new_tokens=4), f"onnx.chat('smollm2', {sql}, map('max_new_tokens', '4'))")

    def test_tools_and_settings_of_templates_are_python_values(self):
        tools = [{"type": "function", "function": {"name": "größe", "parameters": {}}}]
        template = "{{ tools[0].function.name }} {{ depth }} {{ messages[0].content }}"
        prompt = onnx.render_prompt("smollm2", "prompt", chat_template=template, tools=tools, template_kwargs={"depth": 2})
        self.assertEqual(self.df.limit(1).select(prompt.alias("p")).first().p, "größe 2 The capital of France is")

    def test_count_tokens(self):
        self.assertEqual(self.same(onnx.count_tokens("smollm2", "prompt"), "onnx.count_tokens('smollm2', prompt)"), [5, 4, None])

    def test_embed(self):
        vectors = self.same(onnx.embed("minilm", col("prompt"), max_tokens=64), "onnx.embed('minilm', prompt, map('max_tokens', 64))")
        self.assertEqual(len(vectors[0]), 384)
        self.assertAlmostEqual(sum(x * x for x in vectors[0]), 1, places=4)
        self.assertIsNone(vectors[2])

    def test_run_gives_a_struct_of_the_outputs_of_any_graph(self):
        # [CLS] and [SEP]: the text without words, whose vector is the mean of both states, of length 1
        ids, ones, zeros = (array(lit(a), lit(b)).cast("array<bigint>") for a, b in ((101, 102), (1, 1), (0, 0)))
        named = {"input_ids": ids, "token_type_ids": zeros, "attention_mask": ones}
        row = self.df.limit(1).select(
            onnx.run("minilm", ids, ones, zeros).last_hidden_state.alias("in_order"),
            onnx.run("minilm", named, on_error="fail").last_hidden_state.alias("by_name"),
            onnx.run_json("minilm", named).alias("json"),
            onnx.embed("minilm", lit("")).alias("vector"),
        ).first()
        self.assertEqual(row.in_order, row.by_name)
        self.assertEqual(len(json.loads(row.json)["last_hidden_state"]), 2)
        sums = [a + b for a, b in zip(*row.in_order)]
        length = math.sqrt(sum(x * x for x in sums))
        for x, expected in zip(sums, row.vector):
            self.assertAlmostEqual(x / length, expected, places=4)

    def test_classify_is_refused_for_a_model_without_classes(self):
        with self.assertRaisesRegex(Exception, "class"):
            self.df.select(onnx.classify("minilm", "prompt")).collect()

    def test_spark_names_every_bad_option(self):
        with self.assertRaisesRegex(Exception, "(?s)temperature.*max_new_tokenz|max_new_tokenz.*temperature"):
            self.df.select(onnx.generate("smollm2", "prompt", max_new_tokenz=4, temperature=-1)).collect()

    def test_values_that_have_no_text_are_refused_at_once(self):
        for value in (float("nan"), object(), b"4", {"a": object()}):
            with self.subTest(value=value), self.assertRaisesRegex(TypeError, "^option max_new_tokens: "):
                onnx.generate("smollm2", "prompt", max_new_tokens=value)
        with self.assertRaisesRegex(TypeError, "a column or the name of one is needed, not 5"):
            onnx.generate("smollm2", 5)
        with self.assertRaisesRegex(TypeError, "a column or the name of one is needed, not None"):
            onnx.generate(None, "prompt")

    def test_extract(self):
        schema = "city STRING, _corrupt_record STRING"
        rows = self.same(
            onnx.extract("smollm2", "prompt", schema, max_new_tokens=12),
            f"onnx.extract('smollm2', prompt, '{schema}', map('max_new_tokens', '12'))",
        )
        self.assertIsNone(rows[2])
        self.same(
            onnx.extract_json("smollm2", "prompt", schema, max_new_tokens=12),
            f"onnx.extract_json('smollm2', prompt, '{schema}', map('max_new_tokens', '12'))",
        )
        as_json = {"type": "object", "properties": {"ok": {"type": "boolean"}}, "required": ["ok"]}
        rows = self.same(
            onnx.extract("smollm2", "prompt", as_json),
            f"onnx.extract('smollm2', prompt, '{json.dumps(as_json)}')",
        )
        self.assertIn(rows[0].ok, (True, False))

    def test_options_of_none_are_left_out(self):
        self.same(onnx.count_tokens("smollm2", "prompt", chat=None), "onnx.count_tokens('smollm2', prompt)")


class ResumeTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.spark = session()
        cls.rows = cls.spark.range(20).selectExpr("id", "id % 4 AS n").coalesce(2)

    @classmethod
    def tearDownClass(cls):
        cls.spark.stop()

    def setUp(self):
        self.output = tempfile.mkdtemp()

    def answer(self, passes, jobs):
        def job(rows):
            jobs.append(1)
            code = f"IF(n = 0 AND NOT {passes}, 'IO', IF(n = 1, 'PROMPT_TOO_LONG', NULL))"
            return rows.selectExpr("id", f"named_struct('error_code', {code}) AS d")

        return job

    def test_a_later_run_does_what_is_missing(self):
        for format in ("parquet", "json"):
            jobs = []
            resume = kindling.Resume("id", path=f"{self.output}/{format}", format=format, chunks=3, details="d", attempts=2)
            self.assertEqual(resume.run(self.rows.where("id < 8"), self.answer("false", jobs)), kindling.Report(0, 6, 2))
            self.assertLessEqual(len(jobs), 6)
            self.assertEqual(resume.run(self.rows, self.answer("true", jobs)), kindling.Report(6, 14, 0))
            done = len(jobs)
            self.assertEqual(resume.run(self.rows, self.answer("true", jobs)), kindling.Report(20, 0, 0))
            self.assertEqual(len(jobs), done)
            written = self.spark.read.format(format).load(f"{self.output}/{format}")
            self.assertEqual(sorted(row.id for row in written.collect()), list(range(20)))

    def test_ended_tasks_of_a_killed_driver_are_not_published(self):
        task = os.path.join(self.output, "_temporary", "0", "task_202601011200001234567890123_0001_m_000000")
        os.makedirs(task)
        with open(os.path.join(task, "part-00000-killed-c000.json"), "w") as file:
            file.write('{"id": 0}\n{"id": 1}\n')
        resume = kindling.Resume("id", path=self.output, format="json", chunks=2)
        self.assertEqual(resume.run(self.rows, self.answer("true", [])), kindling.Report(0, 20, 0))
        self.assertFalse(os.path.exists(os.path.join(self.output, "_temporary")))

    def test_tables_are_there_before_their_rows(self):
        resume = kindling.Resume("id", table="kindling_resumed", chunks=1)
        try:
            with self.assertRaisesRegex(Exception, "stopped"):
                resume.run(self.rows, lambda rows: rows.selectExpr("id", "CAST(raise_error('stopped') AS STRING) AS a"))
            self.assertEqual(resume.run(self.rows, lambda rows: rows.selectExpr("id", "'' AS a")), kindling.Report(0, 20, 0))
        finally:
            self.spark.sql("DROP TABLE IF EXISTS kindling_resumed")

    def test_keys_name_rows(self):
        resume = kindling.Resume("n", path=self.output)
        with self.assertRaisesRegex(ValueError, "key '.' of column 'n' names 5 rows"):
            resume.run(self.rows, lambda rows: rows)
        with self.assertRaisesRegex(ValueError, "key column 'n' has NULLs"):
            resume.run(self.rows.selectExpr("CAST(NULL AS INT) AS n").limit(1), lambda rows: rows)
        with self.assertRaisesRegex(ValueError, "give a path or a table"):
            kindling.Resume("n")


class ConfigureTest(unittest.TestCase):
    def test_a_jar_that_is_not_there_is_an_error(self):
        with self.assertRaisesRegex(FileNotFoundError, "no kindling.jar at /nowhere/kindling.jar"):
            kindling.configure(SparkSession.builder, "/nowhere/kindling.jar")


if __name__ == "__main__":
    unittest.main()
