"""Makes a classifier of one's own out of an encoder and labelled texts: one ONNX package for onnx.classify.

    python examples/train_classifier.py ENCODER_FOLDER examples/data/tickets.csv OUTPUT_FOLDER

The Python needs onnx, onnxruntime, tokenizers and numpy (that of tools/pyenv.py oracle has them). The encoder's vectors of the texts
are fitted by ridge regression, one column a label; the mean over the tokens and the fitted layer are then appended to the
encoder's graph.
"""
import csv
import json
import pathlib
import shutil
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer

RIDGE = 0.1
SHARPNESS = 8.0  # of the softmax over the fitted values, which lie near 0 and 1

encoder, labelled, output = (pathlib.Path(argument) for argument in sys.argv[1:])
rows = list(csv.DictReader(labelled.open(encoding="utf-8")))
labels = sorted({row["queue"] for row in rows})


def vectors(texts):
    tokenizer = Tokenizer.from_file(str(encoder / "tokenizer.json"))
    tokenizer.no_padding()
    session = onnxruntime.InferenceSession(str(encoder / "model.onnx"))
    for text in texts:
        ids = np.array([tokenizer.encode(text).ids], np.int64)
        states = session.run(None, {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)})[0]
        yield states[0].mean(axis=0)


x = np.stack(list(vectors(row["text"] for row in rows))).astype(np.float64)
scale = np.linalg.norm(x, axis=1).mean()
centre = x.mean(axis=0)
z = (x - centre) / scale
y = np.array([[float(row["queue"] == label) for label in labels] for row in rows])
weights = z.T @ np.linalg.solve(z @ z.T + RIDGE * np.eye(len(z)), y - y.mean(axis=0)) * SHARPNESS / scale
bias = y.mean(axis=0) * SHARPNESS - centre @ weights

model = onnx.load(encoder / "model.onnx")
graph = model.graph
states = graph.output[0].name
constants = {
    "head_weights": weights.astype(np.float32),
    "head_bias": bias.astype(np.float32),
}
graph.initializer.extend(numpy_helper.from_array(value, name) for name, value in constants.items())
graph.node.extend([
    helper.make_node("Cast", ["attention_mask"], ["head_mask"], to=TensorProto.FLOAT),
    helper.make_node("Unsqueeze", ["head_mask"], ["head_mask_3d"], axes=[2]),
    helper.make_node("Mul", [states, "head_mask_3d"], ["head_states"]),
    helper.make_node("ReduceSum", ["head_states"], ["head_sum"], axes=[1], keepdims=0),
    helper.make_node("ReduceSum", ["head_mask"], ["head_count"], axes=[1], keepdims=1),
    helper.make_node("Div", ["head_sum", "head_count"], ["head_mean"]),
    helper.make_node("Gemm", ["head_mean", "head_weights", "head_bias"], ["logits"]),
])
del graph.output[:]
graph.output.append(helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch_size", len(labels)]))
onnx.checker.check_model(model)

output.mkdir(parents=True)
onnx.save(model, output / "model.onnx")
shutil.copy(encoder / "tokenizer.json", output)
config = json.loads((encoder / "config.json").read_text())
config["architectures"] = ["BertForSequenceClassification"]
config["id2label"] = dict(enumerate(labels))
(output / "config.json").write_text(json.dumps(config, indent=2))
print(f"{len(rows)} texts, labels {', '.join(labels)}")
