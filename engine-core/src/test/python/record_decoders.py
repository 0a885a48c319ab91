#!/usr/bin/env python3
"""Records small decoders of real exporters, and what ONNX Runtime answers with them.

    python3 -m venv V && V/bin/pip install optimum-onnx==0.1.0 transformers==4.57.6 torch==2.8.0 onnxruntime==1.32.0 onnx
    V/bin/python engine-core/src/test/python/record_decoders.py [NAME…]

writes src/test/resources/io/kindling/engine/generate/decoders/NAME.onnx.gz and NAME.json: the package's config.json without
stop ids, and for prompts of uneven lengths that begin alike the greedy ids and the four largest logits of every step. Weights are random
eighths, so that the files are small.
"""
import gzip
import json
import pathlib
import sys
import tempfile
import warnings

import numpy as np
import onnx
import onnxruntime as ort
import torch
from optimum.exporters.onnx import onnx_export_from_model
from transformers import AutoConfig, AutoModelForCausalLM

warnings.filterwarnings("ignore")
OUT = pathlib.Path(__file__).parents[1] / "resources/io/kindling/engine/generate/decoders"
VOCABULARY = 64
NEW = 8
LENGTHS = (1, 5, 16, 17, 33, 40)
BASE = dict(vocab_size=VOCABULARY, bos_token_id=1, eos_token_id=2, pad_token_id=0)
LLAMA = dict(hidden_size=32, intermediate_size=16, num_hidden_layers=2, num_attention_heads=4, max_position_embeddings=64, **BASE)
CONFIGS = {
    "cohere": dict(num_key_value_heads=2, logit_scale=0.5, **LLAMA),
    "glm": dict(num_key_value_heads=2, head_dim=8, **LLAMA),
}


def export(name: str, folder: pathlib.Path):
    options = dict(CONFIGS[name])
    torch.manual_seed(5)
    model = AutoModelForCausalLM.from_config(
        AutoConfig.for_model(options.pop("family", name), **options), attn_implementation="eager").eval()
    for parameter in model.parameters():
        # Small matrices of a fresh model give all tokens the same logits.
        scale = 4 if parameter.dim() > 1 and parameter.std() < 0.05 else 1
        parameter.data = torch.round(parameter.data * scale * 8) / 8
    onnx_export_from_model(model, folder, task="text-generation-with-past", do_validation=False, no_post_process=False, opset=18, device="cpu")
    return onnx.load(folder / "model.onnx"), json.loads((folder / "config.json").read_text())


def answer(session, prompt: list) -> dict:
    ports = {port.name for port in session.get_inputs()}
    names = [port.name for port in session.get_outputs()]
    past = {}
    for port in session.get_inputs():
        if port.name.startswith("past"):
            past[port.name] = np.zeros([d if isinstance(d, int) else 1 if k == 0 else 0 for k, d in enumerate(port.shape)], np.float32)
    ids, total, new, top = prompt, 0, [], []
    for _ in range(NEW):
        positions = np.arange(total, total + len(ids))[None]
        total += len(ids)
        feeds = {"input_ids": np.array([ids]), "attention_mask": np.ones((1, total), np.int64), "position_ids": positions}
        out = dict(zip(names, session.run(None, {**past, **{k: v for k, v in feeds.items() if k in ports}})))
        logits = out["logits"][0, -1].astype(np.float64)
        best = np.argsort(-logits, kind="stable")[:4]
        new.append(int(best[0]))
        top.append([[int(k), round(float(logits[k]), 5)] for k in best])
        past = {name: out[name.replace("past_key_values", "present")] for name in past}
        ids = [new[-1]]
    return {"prompt": prompt, "new": new, "top": top}


def record(name: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        model, config = export(name, pathlib.Path(folder))
    for key in [key for key in config if key.endswith("token_id")]:
        del config[key]
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    data = model.SerializeToString()
    session = ort.InferenceSession(data, options, providers=["CPUExecutionProvider"])
    beginning = [int(k) for k in np.random.default_rng(1).integers(3, VOCABULARY, max(LENGTHS))]
    runs = [answer(session, beginning[:length]) for length in LENGTHS]
    OUT.mkdir(parents=True, exist_ok=True)
    (OUT / f"{name}.onnx.gz").write_bytes(gzip.compress(data, 9, mtime=0))
    lines = ",\n".join(json.dumps(run, separators=(",", ":")) for run in runs)
    (OUT / f"{name}.json").write_text('{"config":' + json.dumps(config) + ',"runs":[\n' + lines + "]}\n")


for wanted in sys.argv[1:] or CONFIGS:
    record(wanted)
    print(wanted, (OUT / f"{wanted}.onnx.gz").stat().st_size, (OUT / f"{wanted}.json").stat().st_size)
