"""sql_tab.py MODEL CHROMIUM: a query whose figures are known by arithmetic, and the SQL tab's page of it as a browser shows it.

26 rows: 20 prompts of 40 tokens that begin with the same 32, four of them again, one longer than the model's context, one NULL.
Prints the seconds of the query, what the REST API says of the operator and what the browser shows, as JSON.
"""
import json
import sys
import time
import urllib.request

import browser
from pyspark.sql import SparkSession

# The operator's node as it is drawn, and the text of the page. Since 4.2 Spark draws figures when asked to.
DRAWN = """(() => {
  const detailed = document.getElementById('detailed-labels-checkbox');
  if (detailed && !detailed.checked) detailed.click();
  const nodes = [...document.querySelectorAll('svg g.node foreignObject')].map(node => node.innerHTML);
  const operator = nodes.find(node => node.includes('OnnxBatch'));
  return operator ? {operator, page: document.body.textContent} : null;
})()"""

model, chromium = sys.argv[1:]
spark = SparkSession.builder.appName("sql tab").config("spark.kindling.model.m", model).getOrCreate()
prompts = ["A" * 32 + f"{k:08d}" for k in range(20)]
prompts += prompts[:4] + ["B" * 3000, None]
spark.createDataFrame([(prompt,) for prompt in prompts], "prompt string").coalesce(1).createOrReplaceTempView("prompts")
query = spark.sql(
    "SELECT onnx.generate('m', prompt, map('max_new_tokens', '5', 'ignore_eos', 'true', 'max_batch', '1')) a FROM prompts")
start = time.time()
query.collect()
seconds = time.time() - start

web = spark.sparkContext.uiWebUrl
api = f"{web}/api/v1/applications/{spark.sparkContext.applicationId}/sql"


def operator():
    """The query's number and the operator's figures, once Spark has put them together."""
    for execution in json.load(urllib.request.urlopen(f"{api}?details=true&planDescription=false&length=1000")):
        for node in execution["nodes"]:
            if node["nodeName"] == "OnnxBatch" and execution["status"] == "COMPLETED":
                return execution["id"], {metric["name"]: metric["value"] for metric in node["metrics"]}
    return None


deadline = time.time() + 60
while (found := operator()) is None and time.time() < deadline:
    time.sleep(0.5)
number, figures = found
shown = browser.shown(chromium, f"{web}/SQL/execution/?id={number}", DRAWN)
print(json.dumps({"seconds": seconds, "rest": figures, "shown": shown}))
spark.stop()
