#!/usr/bin/env python3
"""Records small decoders of real exporters, and what ONNX Runtime answers with them.

    python3 -m venv V && V/bin/pip install optimum-onnx==0.1.0 transformers==4.57.6 torch==2.8.0 onnxruntime==1.32.0 onnx
    V/bin/python engine-core/src/test/python/record_decoders.py [NAME…] [NAME=FOLDER…]

exports small decoders of the families named, all by default, or takes the model package in FOLDER, and writes src/test/resources/io/kindling/engine/generate/decoders/NAME.onnx.gz and NAME.json: the package's metadata
without stop ids, and for prompts of uneven lengths that begin alike the greedy ids and the four largest logits of every step.
Weights become eighths, so that the files are small.
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
LENGTHS = {"phi3-long": (1, 20, 58, 63, 64, 65, 70)}
DEFAULT_LENGTHS = (1, 5, 16, 17, 33, 40)
BASE = dict(vocab_size=VOCABULARY, bos_token_id=1, eos_token_id=2, pad_token_id=0)
LLAMA = dict(hidden_size=32, intermediate_size=16, num_hidden_layers=2, num_attention_heads=4, max_position_embeddings=64, **BASE)
CONFIGS = {
    "codegen": dict(n_embd=32, n_layer=2, n_head=4, rotary_dim=4, n_positions=64, n_ctx=64, n_inner=16, **BASE),
    "cohere": dict(num_key_value_heads=2, logit_scale=0.5, **LLAMA),
    "deepseek_v3": dict(
        num_key_value_heads=4, moe_intermediate_size=16, n_routed_experts=4, n_shared_experts=1, num_experts_per_tok=2, n_group=1,
        topk_group=1, first_k_dense_replace=1, q_lora_rank=16, kv_lora_rank=16, qk_rope_head_dim=8, qk_nope_head_dim=8, v_head_dim=8,
        **LLAMA),
    "glm": dict(num_key_value_heads=2, head_dim=8, **LLAMA),
    "gpt_neo": dict(
        hidden_size=32, num_layers=2, num_heads=4, attention_types=[[["global", "local"], 1]], window_size=12, max_position_embeddings=64,
        intermediate_size=16, **BASE),
    "gpt_oss": dict(num_key_value_heads=2, head_dim=8, num_local_experts=4, num_experts_per_tok=2, sliding_window=12, **LLAMA),
    "qwen3_moe": dict(
        num_key_value_heads=2, head_dim=8, moe_intermediate_size=16, num_experts=4, num_experts_per_tok=2, norm_topk_prob=True, **LLAMA),
}


def export(name: str, folder: pathlib.Path) -> None:
    options = dict(CONFIGS[name])
    torch.manual_seed(5)
    model = AutoModelForCausalLM.from_config(
        AutoConfig.for_model(options.pop("family", name), **options), attn_implementation="eager").eval()
    for parameter in model.parameters():
        # Small matrices of a fresh model give all tokens the same logits.
        parameter.data *= 4 if parameter.dim() > 1 and parameter.std() < 0.05 else 1
    onnx_export_from_model(model, folder, task="text-generation-with-past", do_validation=False, no_post_process=False, opset=18, device="cpu")


def load(folder: pathlib.Path) -> onnx.ModelProto:
    """The graph with its weights inside and rounded; tables of rotation and scales stay as they are."""
    model = onnx.load(next(folder / file for file in ("model.onnx", "decoder_model_merged.onnx") if (folder / file).exists()))
    for tensor in model.graph.initializer:
        array = onnx.numpy_helper.to_array(tensor)
        if array.ndim > 1 and array.dtype == np.float32 and "inv_freq" not in tensor.name and array.size > 64:
            tensor.CopyFrom(onnx.numpy_helper.from_array((np.round(array * 8) / 8).astype(np.float32), tensor.name))
    return model


def answer(session, prompt: list, config: dict) -> dict:
    ports = {port.name for port in session.get_inputs()}
    names = [port.name for port in session.get_outputs()]
    past = {}
    for port in session.get_inputs():
        if port.name.startswith("past"):
            known = {"kv_cache_dim": config.get("model", {}).get("decoder", {}).get("head_size")}
            past[port.name] = np.zeros([d if isinstance(d, int) else known.get(d, int(k == 0)) for k, d in enumerate(port.shape)], np.float32)
    ids, total, new, top = prompt, 0, [], []
    for _ in range(NEW):
        positions = np.arange(total, total + len(ids))[None]
        total += len(ids)
        feeds = {"input_ids": np.array([ids]), "attention_mask": np.ones((1, total), np.int64), "position_ids": positions,
                 "use_cache_branch": np.array([total > len(ids)])}
        out = dict(zip(names, session.run(None, {**past, **{k: v for k, v in feeds.items() if k in ports}})))
        logits = out["logits"][0, -1].astype(np.float64)
        best = np.argsort(-logits, kind="stable")[:4]
        new.append(int(best[0]))
        top.append([[int(k), round(float(logits[k]), 5)] for k in best])
        past = {name: out[name.replace("past_key_values", "present")] for name in past}
        ids = [new[-1]]
    return {"prompt": prompt, "new": new, "top": top}


def without_stops(metadata):
    if isinstance(metadata, dict):
        return {key: without_stops(value) for key, value in metadata.items() if not key.endswith("token_id")}
    return metadata


def record(name: str, source: str) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(source or scratch)
        if not source:
            export(name, folder)
        data = load(folder).SerializeToString()
        file = next(folder / file for file in ("genai_config.json", "config.json") if (folder / file).exists())
        config = without_stops(json.loads(file.read_text()))
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = ort.InferenceSession(data, options, providers=["CPUExecutionProvider"])
    lengths = LENGTHS.get(name, DEFAULT_LENGTHS)
    beginning = [int(k) for k in np.random.default_rng(1).integers(3, VOCABULARY, max(lengths))]
    runs = [answer(session, beginning[:length], config) for length in lengths]
    OUT.mkdir(parents=True, exist_ok=True)
    (OUT / f"{name}.onnx.gz").write_bytes(gzip.compress(data, 9, mtime=0))
    lines = ",\n".join(json.dumps(run, separators=(",", ":")) for run in runs)
    (OUT / f"{name}.json").write_text(f'{{"{file.stem}":{json.dumps(config)},"runs":[\n{lines}]}}\n')


for wanted in sys.argv[1:] or CONFIGS:
    record(*wanted.partition("=")[::2])
    name = wanted.partition("=")[0]
    print(name, (OUT / f"{name}.onnx.gz").stat().st_size, (OUT / f"{name}.json").stat().st_size)
