"""Compares a converted package with its GGUF file by independent means; prints one JSON object.

    check_gguf_package.py FILE.gguf PACKAGE

The GGUF side is read by ggml's own Python package, the ONNX side by the onnx package, and the graph is run by ONNX Runtime.
"""
import json
import sys

import gguf
import numpy as np
import onnx
import onnxruntime
from tokenizers import Tokenizer

source, package = sys.argv[1:]
reader = gguf.GGUFReader(source)
tensors = {t.name: t for t in reader.tensors}
model = onnx.load(package + "/model.onnx")
weights = {i.name: onnx.numpy_helper.to_array(i) for i in model.graph.initializer}


def original(name):
    tensor = tensors[name]
    return gguf.dequantize(tensor.data, tensor.tensor_type)


def halves(weight, heads):
    """Undoes the pairing of rows for interleaved rotation."""
    size = weight.shape[0] // heads
    return weight.reshape(heads, size // 2, 2, -1).swapaxes(1, 2).reshape(weight.shape)


def converted(name):
    codes, scales = weights[name + "_codes"], weights[name + "_scales"]
    if codes.shape[2] == 16:
        codes = np.stack([codes & 15, codes >> 4], axis=-1).reshape(*codes.shape[:2], 32)
        default = 8
    else:
        default = 128
    zero = weights[name + "_zero_points"][..., None] if name + "_zero_points" in weights else default
    values = scales[..., None].astype(np.float64) * (codes - np.float64(1) * zero)
    return values.reshape(values.shape[0], -1)


def error(name, wanted):
    return float(np.abs(converted(name) - wanted).max() / np.abs(wanted).max())


errors = {"embed": error("model.embed_tokens.weight", original("token_embd.weight"))}
for layer in (0, 29):
    blk, out = f"blk.{layer}.", f"model.layers.{layer}."
    fused = np.concatenate([halves(original(blk + "attn_q.weight"), 9), halves(original(blk + "attn_k.weight"), 3),
                            original(blk + "attn_v.weight")])
    errors[f"qkv{layer}"] = error(out + "attn.qkv_proj.MatMul.weight", fused)
    for name, target in (("attn_output", "attn.o_proj"), ("ffn_gate", "mlp.gate_proj"), ("ffn_up", "mlp.up_proj"),
                         ("ffn_down", "mlp.down_proj")):
        errors[f"{name}{layer}"] = error(f"{out}{target}.MatMul.weight", original(f"{blk}{name}.weight"))
    norm = weights[out + "input_layernorm.weight"] - original(blk + "attn_norm.weight")
    errors[f"norm{layer}"] = float(np.abs(norm).max())

for node in model.graph.node:
    for attribute in node.attribute:
        if attribute.name == "accuracy_level":
            attribute.i = 1  # float32 activations
onnx.save(model, package + "/exact.onnx", save_as_external_data=True, location="exact.onnx.data")
session = onnxruntime.InferenceSession(package + "/exact.onnx")
tokenizer = Tokenizer.from_file(package + "/tokenizer.json")
ids = tokenizer.encode("The capital of France is").ids
feed = {"input_ids": np.array([ids]), "attention_mask": np.ones((1, len(ids)), np.int64)}
for port in session.get_inputs():
    if port.name.startswith("past"):
        feed[port.name] = np.zeros((1, 3, 0, 64), np.float32)
logits = session.run(["logits"], feed)[0][0, -1]
top = np.argsort(-logits)[:5]
print(json.dumps({
    "errors": errors,
    "ids": ids,
    "digits": tokenizer.encode("\n\n1").tokens,
    "special": tokenizer.encode("<|im_start|>user").ids[0],
    "top": [[int(i), float(logits[i])] for i in top],
}))
