"""Tiny decoders of every family that the GGUF converter knows, and what transformers computes with them.

    gguf_families.py write OUT_DIR         OUT_DIR/CASE.gguf for each case; needs gguf and numpy
    gguf_families.py record OUT.json       {"ids": [...], "logits": {CASE: [[...] a position]}}; needs torch and transformers too
                                           (python of "tools/pyenv.py torch")

Weights come from a hash of their names, so that both commands and all machines have the same. Files are written as llama.cpp's
converter does it: tensor names from gguf's own tables, rows of query and key weights permuted for the architectures that
rotate pairs, one added to the norms of Gemma.
"""
import json
import math
import pathlib
import sys
import zlib

import numpy as np

VOCABULARY, TOKENS, CONTEXT = 40, 24, 64
IDS = [(7 * i + 3 * (i // 5)) % VOCABULARY for i in range(TOKENS)]
LLAMA3 = {"rope_type": "llama3", "rope_theta": 500.0, "factor": 4.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
          "original_max_position_embeddings": 16}
YARN = {"rope_type": "yarn", "rope_theta": 1000.0, "factor": 4.0, "original_max_position_embeddings": 16}
SHORT, LONG = [1.0, 1.1, 1.25], [1.5, 2.0, 3.0]
# case: (transformers model type, GGUF architecture, settings of transformers beyond those of base())
CASES = {
    "llama": ("llama", "llama", {"rope_parameters": LLAMA3}),
    "llama-biased": ("llama", "llama", {"attention_bias": True, "mlp_bias": True}),
    "mistral": ("mistral", "llama", {"sliding_window": 9, "head_dim": 24,
                                     "rope_parameters": {"rope_type": "linear", "factor": 2.5, "rope_theta": 1000.0}}),
    "qwen2": ("qwen2", "qwen2", {"tie_word_embeddings": True, "rope_parameters": YARN}),
    "qwen3": ("qwen3", "qwen3", {"head_dim": 24}),
    "gemma2": ("gemma2", "gemma2", {"sliding_window": 9, "num_hidden_layers": 3, "query_pre_attn_scalar": 16, "head_dim": 16,
                                    "attn_logit_softcapping": 2.0, "final_logit_softcapping": 3.0, "tie_word_embeddings": True,
                                    "hidden_activation": "gelu_pytorch_tanh"}),
    "gemma3": ("gemma3_text", "gemma3", {
        "sliding_window": 9, "num_hidden_layers": 7, "query_pre_attn_scalar": 16, "head_dim": 16, "tie_word_embeddings": True,
        "hidden_activation": "gelu_pytorch_tanh",
        "rope_parameters": {"full_attention": {"rope_type": "linear", "factor": 8.0, "rope_theta": 1000000.0},
                            "sliding_attention": {"rope_type": "default", "rope_theta": 10000.0}}}),
    "phi3": ("phi3", "phi3", {"sliding_window": 9, "pad_token_id": 0}),
    "phi3-longrope": ("phi3", "phi3", {
        "num_key_value_heads": 4, "pad_token_id": 0, "hidden_size": 32, "original_max_position_embeddings": 32,
        "rope_parameters": {"rope_type": "longrope", "rope_theta": 100.0, "partial_rotary_factor": 0.75, "short_factor": SHORT,
                            "long_factor": LONG, "original_max_position_embeddings": 32}}),
    "smollm3": ("smollm3", "smollm3", {"num_hidden_layers": 5, "tie_word_embeddings": True, "pad_token_id": 0}),
    "granite": ("granite", "granite", {"embedding_multiplier": 3.0, "residual_multiplier": 0.4, "attention_multiplier": 0.3,
                                       "logits_scaling": 1.7}),
}


def base(settings):
    return {"vocab_size": VOCABULARY, "hidden_size": 64, "intermediate_size": 48, "num_hidden_layers": 2,
            "num_attention_heads": 4, "num_key_value_heads": 2, "rms_norm_eps": 1e-5, "max_position_embeddings": CONTEXT,
            "rope_parameters": {"rope_type": "default", "rope_theta": 1000.0}, "tie_word_embeddings": False,
            "bos_token_id": 0, "eos_token_id": 0, **settings}


def head_size(s):
    return s.get("head_dim", s["hidden_size"] // s["num_attention_heads"])


def tensor(case, name, *shape):
    """Numbers from -1 to 1 by the name, scaled as a trained weight of its kind would be."""
    index = np.arange(math.prod(shape), dtype=np.uint64) + np.uint64(zlib.crc32(f"{case}/{name}".encode()) << 20)
    index = (index ^ (index >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    index = (index ^ (index >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    index ^= index >> np.uint64(31)
    unit = (index >> np.uint64(40)).astype(np.float32) / np.float32(1 << 23) - np.float32(1)
    norm = "norm" in name
    scale = 0.3 if norm or len(shape) == 1 else 1.7 / math.sqrt(shape[-1])
    offset = 1 if norm and not case.startswith("gemma") else 0
    return (unit * np.float32(scale) + np.float32(offset)).reshape(shape).astype(np.float32)


def state(case, kind, s):
    """Weights by transformers' names."""
    hidden, inner, size = s["hidden_size"], s["intermediate_size"], head_size(s)
    query, kv = s["num_attention_heads"] * size, s["num_key_value_heads"] * size
    shapes = {"model.embed_tokens.weight": (VOCABULARY, hidden), "model.norm.weight": (hidden,)}
    if not s["tie_word_embeddings"]:
        shapes["lm_head.weight"] = (VOCABULARY, hidden)
    for layer in range(s["num_hidden_layers"]):
        at = f"model.layers.{layer}."
        if kind == "phi3":
            shapes[at + "self_attn.qkv_proj.weight"] = (query + 2 * kv, hidden)
            shapes[at + "mlp.gate_up_proj.weight"] = (2 * inner, hidden)
        else:
            for role, rows in (("q", query), ("k", kv), ("v", kv)):
                shapes[at + f"self_attn.{role}_proj.weight"] = (rows, hidden)
                if kind == "qwen2" or s.get("attention_bias"):
                    shapes[at + f"self_attn.{role}_proj.bias"] = (rows,)
            for role in ("gate", "up"):
                shapes[at + f"mlp.{role}_proj.weight"] = (inner, hidden)
                if s.get("mlp_bias"):
                    shapes[at + f"mlp.{role}_proj.bias"] = (inner,)
        shapes[at + "self_attn.o_proj.weight"] = (hidden, query)
        shapes[at + "mlp.down_proj.weight"] = (hidden, inner)
        if s.get("attention_bias"):
            shapes[at + "self_attn.o_proj.bias"] = (hidden,)
        if s.get("mlp_bias"):
            shapes[at + "mlp.down_proj.bias"] = (hidden,)
        if kind in ("qwen3", "gemma3_text"):
            shapes[at + "self_attn.q_norm.weight"] = shapes[at + "self_attn.k_norm.weight"] = (size,)
        norms = ["input_layernorm", "post_attention_layernorm"]
        if kind.startswith("gemma"):
            norms += ["pre_feedforward_layernorm", "post_feedforward_layernorm"]
        for norm in norms:
            shapes[at + norm + ".weight"] = (hidden,)
    return {name: tensor(case, name, *shape) for name, shape in shapes.items()}


def permuted(weight, heads):
    """Rows of each head's two halves in turn."""
    return (weight.reshape(heads, 2, weight.shape[0] // heads // 2, *weight.shape[1:]).swapaxes(1, 2).reshape(weight.shape))


def llama3_factors(s):
    """What frequencies are divided by, from the definition of Llama 3.1."""
    rope = s["rope_parameters"]
    size = head_size(s)
    wave = 2 * math.pi * rope["rope_theta"] ** (np.arange(0, size, 2) / size)
    turns = rope["original_max_position_embeddings"] / wave
    smooth = (turns - rope["low_freq_factor"]) / (rope["high_freq_factor"] - rope["low_freq_factor"])
    smooth = np.clip(smooth, 0, 1)
    return (1 / ((1 - smooth) / rope["factor"] + smooth)).astype(np.float32)


def write(case, folder):
    import gguf
    kind, architecture, settings = CASES[case]
    s = base(settings)
    rope = s["rope_parameters"]
    local, rope = rope.get("sliding_attention"), rope.get("full_attention", rope)
    weights = state(case, kind, s)
    names = gguf.get_tensor_name_map({v: k for k, v in gguf.MODEL_ARCH_NAMES.items()}[architecture], s["num_hidden_layers"])
    writer = gguf.GGUFWriter(str(folder / f"{case}.gguf"), architecture)
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(s["hidden_size"])
    writer.add_feed_forward_length(s["intermediate_size"])
    writer.add_block_count(s["num_hidden_layers"])
    writer.add_head_count(s["num_attention_heads"])
    writer.add_head_count_kv(s["num_key_value_heads"])
    writer.add_layer_norm_rms_eps(s["rms_norm_eps"])
    writer.add_rope_freq_base(rope["rope_theta"])
    if "head_dim" in s:
        writer.add_key_length(s["head_dim"])
        writer.add_value_length(s["head_dim"])
    writer.add_rope_dimension_count(int(head_size(s) * rope.get("partial_rotary_factor", 1)))
    if s.get("sliding_window"):
        writer.add_sliding_window(s["sliding_window"])
    if rope["rope_type"] in ("linear", "yarn"):
        writer.add_rope_scaling_type(gguf.RopeScalingType(rope["rope_type"]))
        writer.add_rope_scaling_factor(rope["factor"])
    if rope["rope_type"] == "yarn":
        writer.add_rope_scaling_orig_ctx_len(rope["original_max_position_embeddings"])
    if rope["rope_type"] == "llama3":
        writer.add_tensor("rope_freqs.weight", llama3_factors(s))
    if rope["rope_type"] == "longrope":
        original = rope["original_max_position_embeddings"]
        writer.add_rope_scaling_orig_ctx_len(original)
        writer.add_rope_scaling_attn_factors(math.sqrt(1 + math.log(CONTEXT / original) / math.log(original)))
        writer.add_tensor("rope_factors_short.weight", np.array(SHORT, np.float32))
        writer.add_tensor("rope_factors_long.weight", np.array(LONG, np.float32))
    if kind == "gemma2":
        writer.add_attn_logit_softcapping(s["attn_logit_softcapping"])
        writer.add_final_logit_softcapping(s["final_logit_softcapping"])
    if kind == "granite":
        writer.add_attention_scale(s["attention_multiplier"])
        writer.add_embedding_scale(s["embedding_multiplier"])
        writer.add_residual_scale(s["residual_multiplier"])
        writer.add_logit_scale(s["logits_scaling"])
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("smollm")
    writer.add_token_list([chr(ord("0") + i) for i in range(VOCABULARY - 1)] + ["01"])
    writer.add_token_types([1] * VOCABULARY)
    writer.add_token_merges(["0 1"])
    writer.add_bos_token_id(0)
    writer.add_eos_token_id(0)
    for name, weight in weights.items():
        if architecture in ("llama", "smollm3", "granite") and ".self_attn." in name:
            heads = {"q_proj": "num_attention_heads", "k_proj": "num_key_value_heads"}.get(name.split(".")[-2])
            weight = permuted(weight, s[heads]) if heads else weight
        if kind.startswith("gemma") and name.endswith("norm.weight"):
            weight = weight + np.float32(1)
        writer.add_tensor(names.get_name(name, try_suffixes=(".weight", ".bias")), weight)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def record(case):
    import torch
    import transformers
    kind, _, settings = CASES[case]
    s = base(settings)
    config = transformers.AutoConfig.for_model(kind, **s, attn_implementation="eager")
    model = transformers.AutoModelForCausalLM.from_config(config).float().eval()
    weights = {name: torch.from_numpy(value) for name, value in state(case, kind, s).items()}
    if s["tie_word_embeddings"]:
        weights["lm_head.weight"] = weights["model.embed_tokens.weight"]
    model.load_state_dict(weights, strict=True)
    with torch.no_grad():
        logits = model(torch.tensor([IDS])).logits[0].numpy()
    return [[float(f"{x:.6g}") for x in row] for row in logits]


if __name__ == "__main__":
    if sys.argv[1] == "write":
        for case in CASES:
            write(case, pathlib.Path(sys.argv[2]))
        print(json.dumps(list(CASES)))
    else:
        found = {case: record(case) for case in CASES}
        pathlib.Path(sys.argv[2]).write_text(json.dumps({"ids": IDS, "logits": found}, separators=(",", ":")) + "\n")
