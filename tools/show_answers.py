"""show_answers.py FOLDER SUMMARY: the answers of the quickstart's job as a table, and its speed."""
import json
import pathlib
import sys

folder, summary = map(pathlib.Path, sys.argv[1:])
rows = [json.loads(line) for part in sorted(folder.glob("part-*.json")) for line in part.read_text("utf-8").splitlines()]
width = max(len(row["question"]) for row in rows)
print(f"id | {'question':{width}} | answer")
print(f"---+-{'-' * width}-+-{'-' * 60}")
for row in sorted(rows, key=lambda row: row["id"]):
    answer = " ".join((row.get("generated") or "(failed: %s)" % row["generated_details"].get("error")).split())
    print(f"{row['id']:2} | {row['question']:{width}} | {answer if len(answer) <= 120 else answer[:119] + '…'}")
done = json.loads(summary.read_text("utf-8").strip().splitlines()[-1])
print(f"\n{done['rows']} rows, {done['generated_tokens']} generated tokens in {done['seconds']} s: "
      f"{done['tokens_per_second']} tokens/s (loading the model, {done['model_load_ms']} ms, included)")
