"""run_notebooks.py OUT NOTEBOOK…: executes notebooks in their folder, each in a Python of its own, two at a time.

Each gives a line of OUT, {"notebook", "outputs": [[text or media type of each output] per cell with code]}. A cell that fails ends it all.
"""
import concurrent.futures
import json
import pathlib
import sys

import nbformat
from nbclient import NotebookClient


def execute(file):
    notebook = nbformat.read(file, as_version=4)
    client = NotebookClient(notebook, timeout=600, kernel_name="python3", resources={"metadata": {"path": str(file.parent)}})
    client.execute()
    outputs = [[content(output) for output in cell.outputs if output.get("name") != "stderr"] for cell in notebook.cells if cell.cell_type == "code"]
    return {"notebook": file.name, "outputs": outputs}


def content(output):
    if output.output_type == "stream":
        return output.text
    return "image/png" if "image/png" in output.data else output.data["text/plain"]


out, *files = map(pathlib.Path, sys.argv[1:])
with concurrent.futures.ThreadPoolExecutor(2) as pool, open(out, "w", encoding="utf-8") as lines:
    for result in pool.map(execute, files):
        lines.write(json.dumps(result) + "\n")
