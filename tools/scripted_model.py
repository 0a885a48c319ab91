#!/usr/bin/env python3
"""A decoder of 100 KB for tests of what surrounds models: one layer of attention over bytes, with random weights of a fixed seed.

    python3 tools/scripted_model.py FOLDER [SEED]      writes a package that equal seeds make equal; prints its folder

A token is a byte. The answers mean nothing, but they depend on every token before them, so that a lost or doubled one is seen.
"""
import json
import pathlib
import subprocess
import sys

HIDDEN, HEADS, HEAD, CONTEXT = 32, 2, 16, 2048
BYTES, END = 256, 256


def byte_letters() -> list:
    """GPT-2's way to write bytes as visible letters, as Hugging Face's ByteLevel does."""
    shown = [*range(33, 127), *range(161, 173), *range(174, 256)]
    hidden = [byte for byte in range(256) if byte not in shown]
    letters = {byte: chr(byte) for byte in shown}
    letters.update({byte: chr(256 + k) for k, byte in enumerate(hidden)})
    return [letters[byte] for byte in range(256)]


def tokenizer() -> dict:
    vocabulary = {letter: byte for byte, letter in enumerate(byte_letters())}
    vocabulary["<end>"] = END
    end = {"id": END, "content": "<end>", "single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}
    return {"version": "1.0", "truncation": None, "padding": None, "added_tokens": [end], "normalizer": None, "pre_tokenizer": level,
            "post_processor": None, "decoder": level, "model": {"type": "BPE", "vocab": vocabulary, "merges": []}}


def graph(seed: int):
    import numpy
    from onnx import TensorProto, checker, helper, numpy_helper

    random = numpy.random.default_rng(seed)

    def weight(name, *shape):
        return numpy_helper.from_array(random.normal(0, 0.7, shape).astype(numpy.float32), name)

    def port(name, kind, *shape):
        return helper.make_tensor_value_info(name, kind, shape)

    def int64(name, values):
        return numpy_helper.from_array(numpy.array(values, dtype=numpy.int64), name)

    kv = ("batch", HEADS, "past", HEAD)
    nodes = [
        helper.make_node("ReduceSum", ["attention_mask", "axis_one"], ["lengths"], keepdims=0),
        helper.make_node("Sub", ["lengths", "one"], ["last"]),
        helper.make_node("Cast", ["last"], ["seqlens"], to=TensorProto.INT32),
        helper.make_node("Shape", ["attention_mask"], ["mask_shape"]),
        helper.make_node("Gather", ["mask_shape", "index_one"], ["width"], axis=0),
        helper.make_node("Cast", ["width"], ["total"], to=TensorProto.INT32),
        helper.make_node("Gather", ["embedding", "input_ids"], ["embedded"]),
        helper.make_node("MatMul", ["embedded", "qkv_weight"], ["qkv"]),
        helper.make_node(
            "GroupQueryAttention", ["qkv", "", "", "past_key_values.0.key", "past_key_values.0.value", "seqlens", "total"],
            ["attended", "present.0.key", "present.0.value"], domain="com.microsoft", num_heads=HEADS, kv_num_heads=HEADS),
        helper.make_node("MatMul", ["attended", "mix_weight"], ["mixed"]),
        helper.make_node("Add", ["embedded", "mixed"], ["hidden"]),
        helper.make_node("Tanh", ["hidden"], ["bounded"]),
        helper.make_node("MatMul", ["bounded", "head_weight"], ["logits"]),
    ]
    inputs = [port("input_ids", TensorProto.INT64, "batch", "sequence"), port("attention_mask", TensorProto.INT64, "batch", "total_sequence"),
              port("past_key_values.0.key", TensorProto.FLOAT, *kv), port("past_key_values.0.value", TensorProto.FLOAT, *kv)]
    outputs = [port("logits", TensorProto.FLOAT, "batch", "sequence", BYTES + 1),
               port("present.0.key", TensorProto.FLOAT, *kv[:2], "total", HEAD), port("present.0.value", TensorProto.FLOAT, *kv[:2], "total", HEAD)]
    constants = [int64("axis_one", [1]), int64("one", 1), int64("index_one", 1), weight("embedding", BYTES + 1, HIDDEN),
                 weight("qkv_weight", HIDDEN, 3 * HEADS * HEAD), weight("mix_weight", HEADS * HEAD, HIDDEN),
                 weight("head_weight", HIDDEN, BYTES + 1)]
    model = helper.make_model(
        helper.make_graph(nodes, "scripted", inputs, outputs, constants),
        opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)], ir_version=8)
    checker.check_model(model)
    return model


def config() -> dict:
    return {
        "model": {
            "type": "llama", "vocab_size": BYTES + 1, "context_length": CONTEXT, "bos_token_id": END, "eos_token_id": END, "pad_token_id": END,
            "decoder": {
                "filename": "model.onnx", "num_hidden_layers": 1, "num_attention_heads": HEADS, "num_key_value_heads": HEADS,
                "head_size": HEAD, "hidden_size": HIDDEN,
                "inputs": {"input_ids": "input_ids", "attention_mask": "attention_mask", "past_key_names": "past_key_values.%d.key",
                           "past_value_names": "past_key_values.%d.value"},
                "outputs": {"logits": "logits", "present_key_names": "present.%d.key", "present_value_names": "present.%d.value"}}},
        "search": {"do_sample": False}}


def write(folder: pathlib.Path, seed: int) -> None:
    import onnx

    folder.mkdir(parents=True, exist_ok=True)
    onnx.save(graph(seed), str(folder / "model.onnx"))
    (folder / "genai_config.json").write_text(json.dumps(config(), indent=1))
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer(), indent=1))


if __name__ == "__main__":
    target = pathlib.Path(sys.argv[1]).absolute()
    try:
        import onnx  # noqa: F401
    except ImportError:
        sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
        import pyenv

        raise SystemExit(subprocess.call([str(pyenv.environment("oracle")), *sys.argv]))
    write(target, int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    print(target)
