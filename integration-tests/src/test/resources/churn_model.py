"""churn_model.py FILE: a small classifier of two features, by scikit-learn."""
import sys

import numpy as np
from skl2onnx import to_onnx
from sklearn.linear_model import LogisticRegression

x = np.array([[0.1, 1.0], [0.3, 0.8], [0.7, 0.2], [0.9, 0.1]], np.float32)
model = LogisticRegression().fit(x, np.array([0, 0, 1, 1]))
onnx = to_onnx(model, x[:1], options={"zipmap": False}, initial_types=None)
graph = onnx.graph
for node in graph.node:
    for k, name in enumerate(node.input):
        if name == graph.input[0].name:
            node.input[k] = "x"
graph.input[0].name = "x"
with open(sys.argv[1], "wb") as file:
    file.write(onnx.SerializeToString())
