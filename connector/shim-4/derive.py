#!/usr/bin/env python3
"""derive.py FROM TO: the shim's sources for Scala 2.13, where Spark's signatures have immutable sequences."""
import pathlib
import sys

source, target = map(pathlib.Path, sys.argv[1:])
CHANGES = {
    "scala.collection.Seq;": "scala.collection.immutable.Seq;",
    "scala.collection.IndexedSeq;": "scala.collection.immutable.IndexedSeq;",
    "io.kindling.spark.shim35": "io.kindling.spark.shim4",
}

derived = {}
for file in source.rglob("*.java"):
    text = file.read_text(encoding="utf-8")
    for old, new in CHANGES.items():
        text = text.replace(old, new)
    derived[target / str(file.relative_to(source)).replace("shim35", "shim4")] = text
for file in target.rglob("*.java"):
    if file not in derived:
        file.unlink()
for file, text in derived.items():
    file.parent.mkdir(parents=True, exist_ok=True)
    if not file.exists() or file.read_text(encoding="utf-8") != text:  # what is unchanged is not compiled again
        file.write_text(text, encoding="utf-8")
