#!/usr/bin/env python3
"""encoder_decoders.py TINY_DIR CASES: the encoder-decoders among the tiny models as cases of `conformance`, one for each graph.

ONNX Runtime gives the outputs: of the encoder over a golden prompt, of the decoder over a golden answer's beginning, and of the next step over
the caches that this left (decoder_with_past_model, the true branch of merged decoders). Run with the environment `oracle` of tools/pyenv.py.
MatMulNBits is asked for float32 activations, which is what `conformance` computes.
"""
import json
import pathlib
import shutil
import sys

import numpy
import onnx
import onnxruntime
from onnx import numpy_helper

TYPES = {"tensor(int64)": numpy.int64, "tensor(int32)": numpy.int32, "tensor(float)": numpy.float32, "tensor(bool)": numpy.bool_}
TOKENS = 6
tiny, cases = (pathlib.Path(argument) for argument in sys.argv[1:3])


def session(file: pathlib.Path) -> onnxruntime.InferenceSession:
    model = onnx.load(file)
    for node in model.graph.node:
        for attribute in node.attribute:
            if attribute.name == "accuracy_level":
                attribute.i = 0
    return onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])


def case(name: str, file: pathlib.Path, known: dict, ids: list, past: dict, cached: bool) -> dict:
    """Writes the case and gives the graph's outputs by name."""
    runner = session(file)
    feeds = {}
    for port in runner.get_inputs():
        kind = TYPES[port.type]
        if port.name == "input_ids":
            feeds[port.name] = numpy.array([ids], kind)
        elif port.name == "use_cache_branch":
            feeds[port.name] = numpy.array([cached])
        elif port.name in known:
            feeds[port.name] = known[port.name].astype(kind)
        elif port.name in past:
            feeds[port.name] = past[port.name]
        else:
            sizes = [size if isinstance(size, int) else 0 for size in port.shape[1:]]
            feeds[port.name] = numpy.zeros([1, *sizes], kind)
    outputs = {port.name: value for port, value in zip(runner.get_outputs(), runner.run(None, feeds))}
    data = cases / name / "test_data_set_0"
    data.mkdir(parents=True)
    shutil.copy(file, cases / name / "model.onnx")
    weights = file.with_suffix(".onnx.data")
    if weights.exists():
        shutil.copy(weights, cases / name)
    for kind, values in (("input", feeds), ("output", outputs)):
        for position, (port, value) in enumerate(values.items()):
            (data / f"{kind}_{position}.pb").write_bytes(numpy_helper.from_array(value, port).SerializeToString())
    return outputs


def write_cases(folder: pathlib.Path, row: dict) -> None:
    known = {"attention_mask": numpy.ones((1, len(row.get("prompt_ids", []))))}
    for features in sorted(folder.glob("input_features_*.pb")):
        known["input_features"] = known["audio_features"] = numpy_helper.to_array(onnx.load_tensor(features))
    encoder = next(folder.glob("encoder*.onnx"))
    encoded = case(f"{folder.name}-encoder", encoder, known, row.get("prompt_ids", []), {}, False)
    states = {"encoder_attention_mask": known["attention_mask"], "encoder_hidden_states": encoded.get("last_hidden_state")}
    states.update({name.replace("present", "past"): value for name, value in encoded.items() if "cross" in name})
    start = row["decoder_start"]
    ids = [*(start if isinstance(start, list) else [start]), *row["new_ids"][:TOKENS]]
    following = {"decoder_model": "decoder_with_past_model", "decoder_model_merged": "decoder_model_merged", "decoder": "decoder"}
    for first, later in following.items():
        if not (folder / f"{first}.onnx").exists():
            continue
        outputs = case(f"{folder.name}-{first}", folder / f"{first}.onnx", states, ids, {}, False)
        past = {name.replace("present.", "past_key_values.").replace("present_", "past_"): value for name, value in outputs.items()}
        case(f"{folder.name}-{first}-then", folder / f"{later}.onnx", states, row["new_ids"][TOKENS : TOKENS + 1], past, True)


for goldens in sorted(tiny.glob("*/goldens.jsonl")):
    rows = [json.loads(line) for line in goldens.read_text().splitlines()]
    starts = [row for row in rows if "decoder_start" in row]
    if starts:
        write_cases(goldens.parent, starts[-1])
