"""run_scripts.py FILE: runs Python scripts one after another in one process, which saves starting Spark's JVM for each.

FILE has a JSON array [script, argument, …] a line. Before the output of each stands a line '=== script'.
"""
import json
import runpy
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    commands = [json.loads(line) for line in file]
for command in commands:
    print("===", command[0], flush=True)
    sys.argv = command
    runpy.run_path(command[0], run_name="__main__")
