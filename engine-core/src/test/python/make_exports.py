#!/usr/bin/env python3
"""Records the ports and metadata files of real exporters' decoders, and the initial states that ONNX Runtime accepts.

    $(python3 tools/pyenv.py oracle) engine-core/src/test/python/make_exports.py FOLDER_OF_EXPORTS

writes src/test/resources/io/kindling/engine/metadata/exports.jsonl: one line a model with its graph's ports, the cache attributes
of its attention nodes, its metadata files, and `states`: [input, output, initial shape]. Each line has been tried: ONNX Runtime
ran the graph for one token with zeros of these shapes, and the states it gave had grown by one on the axis of length 0, or not.
"""
import json
import pathlib
import re
import sys

import numpy as np
import onnx
import onnxruntime

OUT = pathlib.Path(__file__).parents[1] / "resources/io/kindling/engine/metadata/exports.jsonl"
FILES = ["config.json", "genai_config.json", "generation_config.json", "tokenizer_config.json"]
# Other precisions of a graph that is there already: the same ports.
SKIPPED = re.compile("-(int8|int4-qdq|optimum-dynint8|optimum-O2|optimum-fp16|int4-unfused)$")
NUMPY = {1: np.float32, 6: np.int32, 7: np.int64, 9: np.bool_, 10: np.float16}


def port(value) -> list:
    tensor = value.type.tensor_type
    dimensions = [d.dim_value if d.HasField("dim_value") else d.dim_param for d in tensor.shape.dim]
    return [value.name, onnx.TensorProto.DataType.Name(tensor.elem_type), dimensions]


def attention(model) -> list:
    nodes = []
    for node in model.graph.node:
        if node.op_type == "GroupQueryAttention":
            attributes = {a.name: a.i for a in node.attribute if a.name in ("local_window_size", "sliding_window_cache")}
            nodes.append({"inputs": list(node.input)[3:5], **attributes})
    return nodes


def initial(model, files: dict, nodes: list) -> list:
    head = files.get("genai_config.json", {}).get("model", {}).get("decoder", {}).get("head_size")
    windows = {name: n["local_window_size"] for n in nodes if n.get("sliding_window_cache") for name in n["inputs"]}
    states = []
    for value in model.graph.input:
        name, _, dimensions = port(value)
        if name.startswith("past"):
            known = {"batch_size": 1, "s10": 1, "kv_cache_dim": head, "past_sliding_length": windows.get(name)}
            shape = [d if isinstance(d, int) else known.get(d, 0) for d in dimensions]
            states.append([name, re.sub("^past(_key_values)?", "present", name), shape])
    return states


def run(path, model, states: list) -> None:
    feeds = {name: np.zeros(shape, NUMPY[next(i for i in model.graph.input if i.name == name).type.tensor_type.elem_type])
             for name, _, shape in states}
    for value in model.graph.input:
        name, kind, _ = port(value)
        if name not in feeds:
            feeds[name] = {"input_ids": np.array([[5]]), "attention_mask": np.array([[1]]), "position_ids": np.array([[0]]),
                           "use_cache_branch": np.array([False])}[name].astype(NUMPY[value.type.tensor_type.elem_type])
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    outputs = session.run([output for _, output, _ in states], feeds)
    for (name, _, shape), output in zip(states, outputs):
        expected = [1 if k == 2 and size == 0 else size for k, size in enumerate(shape)]
        assert list(output.shape) == expected, (path, name, shape, output.shape)


def main(root: pathlib.Path) -> None:
    lines = []
    for folder in sorted(root.iterdir()):
        if not (folder / "goldens.jsonl").is_file() or SKIPPED.search(folder.name):
            continue
        files = {name: json.loads((folder / name).read_text()) for name in FILES if (folder / name).is_file()}
        path = next((folder / name for name in ("model.onnx", "decoder_model_merged.onnx") if (folder / name).is_file()), None)
        if path is None:
            continue
        model = onnx.load(path, load_external_data=False)
        nodes = attention(model)
        line = {"name": folder.name, "graph": path.name, "inputs": [port(v) for v in model.graph.input],
                "outputs": [port(v) for v in model.graph.output], "attention": nodes, "files": files}
        encoder = [v.name for v in model.graph.input if v.name.startswith("encoder")]
        if not encoder:
            line["states"] = initial(model, files, nodes)
            if "cuda" not in folder.name:
                run(path, model, line["states"])
        lines.append(json.dumps(line))
    OUT.parent.mkdir(parents=True, exist_ok=True)
    OUT.write_text("\n".join(lines) + "\n")
    print(len(lines), "models,", OUT.stat().st_size, "bytes")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
