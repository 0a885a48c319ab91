#!/usr/bin/env python3
"""Writes cases of real models with ONNX Runtime's outputs: MiniLM, PP-OCR, Silero VAD, whichever are in the
files given: .onnx files, or jars and tarballs with them.

    make_real_cases.py OUT FILE...    OUT/cases/NAME/model.onnx (a link), test_data_set_I/{input,output}_K.pb, case.json

A model whose first sizes are free gets a few of them; the data sets of Silero are a stream, its state carried on. Prints the number of cases.
"""
import json
import pathlib
import sys
import tarfile
import zipfile

import numpy as np
import onnxruntime
from onnx import numpy_helper

rng = np.random.default_rng(5)


def feeds(name, session):
    """Inputs of each data set; those that are a string are taken from an output of the set before."""
    if "minilm" in name:
        for batch, length in ((1, 1), (2, 17), (3, 64)):
            mask = np.ones((batch, length), np.int64)
            mask[0, (length + 1) // 2:] = 0
            yield {"input_ids": rng.integers(999, 20000, (batch, length)), "attention_mask": mask,
                   "token_type_ids": np.zeros((batch, length), np.int64)}
    elif "silero" in name:
        for step, (rate, width) in enumerate(((16000, 576), (16000, 576), (16000, 576), (8000, 288), (8000, 288))):
            time = np.arange(width) / rate
            sound = np.sin(2 * np.pi * 180 * (1 + step) * time) * 0.3 + rng.standard_normal(width) * 0.05
            state = np.zeros((2, 1, 128), np.float32) if step in (0, 3) else "stateN"
            yield {"input": sound[None].astype(np.float32), "state": state, "sr": np.array(rate)}
    else:
        port = session.get_inputs()[0].name
        for shape in ((1, 3, 96, 128), (1, 3, 64, 160)) if "det" in name else ((2, 3, 48, 96), (1, 3, 48, 160)):
            yield {port: (rng.random(shape) * 2 - 1).astype(np.float32)}


def write(out, file):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(str(file), options, ["CPUExecutionProvider"])
    folder = out / file.stem
    folder.mkdir(parents=True)
    (folder / "model.onnx").symlink_to(file)
    (folder / "case.json").write_text(json.dumps({"rtol": 1e-3, "atol": 1e-4}))
    outputs = [port.name for port in session.get_outputs()]
    before = {}
    for index, feed in enumerate(feeds(file.stem.lower(), session)):
        feed = {n: before[v] if isinstance(v, str) else v for n, v in feed.items()}
        before = dict(zip(outputs, session.run(None, feed)))
        data = folder / f"test_data_set_{index}"
        data.mkdir()
        for k, port in enumerate(session.get_inputs()):
            (data / f"input_{k}.pb").write_bytes(numpy_helper.from_array(feed[port.name]).SerializeToString())
        for k, name in enumerate(outputs):
            (data / f"output_{k}.pb").write_bytes(numpy_helper.from_array(before[name]).SerializeToString())


def models(path, folder):
    """The .onnx files that a file is or holds."""
    if path.suffix == ".onnx":
        return [path.resolve()]
    folder.mkdir()
    if path.suffix == ".jar":
        with zipfile.ZipFile(path) as archive:
            members = {n: archive.read(n) for n in archive.namelist() if n.endswith(".onnx")}
    else:
        with tarfile.open(path) as archive:
            members = {m.name: archive.extractfile(m).read() for m in archive.getmembers() if m.name.endswith(".onnx")}
    found = [folder / pathlib.PurePosixPath(name).name for name in members]
    for file, content in zip(found, members.values()):
        file.write_bytes(content)
    return found


if __name__ == "__main__":
    out = pathlib.Path(sys.argv[1])
    files = [file for k, path in enumerate(sys.argv[2:]) for file in models(pathlib.Path(path), out / f"models_{k}")]
    for file in files:
        write(out / "cases", file)
    print(len(files))
