"""embedding_oracle.py MODEL SPOT: prints the least cosine between the vectors of SPOT ([[text, vector], ...]) and ONNX Runtime's.

Each text is run alone; the vector is the mean over its tokens, normalised, as all-MiniLM-L6-v2 says.
"""
import json
import sys

import numpy
import onnxruntime
from tokenizers import Tokenizer

model, spot = sys.argv[1:]
session = onnxruntime.InferenceSession(f"{model}/model.onnx", providers=["CPUExecutionProvider"])
tokenizer = Tokenizer.from_file(f"{model}/tokenizer.json")
tokenizer.no_padding()
names = {port.name for port in session.get_inputs()}
least = 1.0
for text, vector in json.load(open(spot)):
    ids = numpy.array([tokenizer.encode(text).ids], dtype=numpy.int64)
    feeds = {"input_ids": ids, "attention_mask": numpy.ones_like(ids), "token_type_ids": numpy.zeros_like(ids)}
    states = session.run(None, {name: value for name, value in feeds.items() if name in names})[0]
    expected = states[0].mean(axis=0)
    least = min(least, float(expected @ vector / numpy.linalg.norm(expected) / numpy.linalg.norm(vector)))
print(least)
