"""Recipes of classical models and training; see operator_cases.py."""
import numpy as np
from onnx import numpy_helper

from operator_forms import TYPES, Case, recipe


@recipe("ArrayFeatureExtractor", domain="ai.onnx.ml")
def extractor(form):
    x = form.values("T", 2, 4)
    yield Case([x, form.ints(3, 0)], want=[x[:, [3, 0]]])


@recipe("Binarizer", domain="ai.onnx.ml")
def binarizer(form):
    x = form.values("T", 2, 4)
    yield Case([x], {"threshold": 1.0}, want=[(x > 1).astype(x.dtype)])


@recipe("CategoryMapper", domain="ai.onnx.ml", fixed=("T2",))
def category(form):
    maps = {"cats_strings": ["a", "b", "c"], "cats_int64s": [1, 2, 3], "default_string": "?", "default_int64": -7}
    if form.type("T1") == "string":
        form.types["T2"] = "tensor(int64)"
        yield Case([np.array(["c", "x", "a"], object)], maps, want=[form.ints(3, -7, 1)])
    else:
        form.types["T2"] = "tensor(string)"
        yield Case([form.ints(3, 9, 1)], maps, want=[np.array(["c", "?", "a"], object)])


@recipe("FeatureVectorizer", domain="ai.onnx.ml")
def vectorizer(form):
    x, y = form.values("T1", 2, 3), form.values("T1", 2, 1)
    yield Case([x, y], {"inputdimensions": [3, 1]}, want=[np.concatenate([x, y], 1).astype(np.float32)])


@recipe("Imputer", domain="ai.onnx.ml")
def imputer(form):
    x = form.values("T", 2, 3)
    if form.type("T") in ("float", "double"):
        x[0, 1] = np.nan
        yield Case([x], {"imputed_value_floats": [1.5, 2.5, 3.5], "replaced_value_float": float("nan")}, want=[np.where(np.isnan(x), [1.5, 2.5, 3.5], x).astype(x.dtype)])
    else:
        x[0, 1] = -9
        yield Case([x], {"imputed_value_int64s": [7], "replaced_value_int64": -9}, want=[np.where(x == -9, 7, x).astype(x.dtype)])


@recipe("LabelEncoder", domain="ai.onnx.ml", crossed=("T1", "T2"))
def label_encoder(form):
    names = {"string": "strings", "int64": "int64s", "float": "floats"}
    keys, values = form.type("T1"), form.type("T2")
    pool = {"string": ["a", "b", "c"], "int64": [1, 2, 3]}
    key, value = pool.get(keys, [1.0, 2.0, 3.0]), pool.get(values, [4.0, 5.0, 6.0])
    default = {"string": "?", "int64": -1}.get(values, -1.0)
    x = np.array([key[2], "x" if keys == "string" else 9, key[0]], TYPES[keys])
    want = [np.array([value[2], default, value[0]], TYPES[values])]
    if form.version == 1:
        if keys == "int64" and values == "string":
            yield Case([form.ints(2, 9, 0)], {"classes_strings": ["a", "b", "c"], "default_string": "?"}, want=[np.array(["c", "?", "a"], object)])
        elif keys == "string" and values == "int64":
            yield Case([np.array(["c", "x", "a"], object)], {"classes_strings": ["a", "b", "c"], "default_int64": -1}, want=[form.ints(2, -1, 0)])
    elif keys in names and values in names:
        kind = {"string": "string", "int64": "int64", "float": "float"}[values]
        yield Case([x], {f"keys_{names[keys]}": key, f"values_{names[values]}": value, f"default_{kind}": default}, want=want)
    if form.version >= 4:
        tensors = {"keys_tensor": (key, keys), "values_tensor": (value, values), "default_tensor": ([default], values)}
        yield Case([x], {n: numpy_helper.from_array(np.array(v, TYPES[t])) for n, (v, t) in tensors.items()}, label="tensors", want=want)


@recipe("LinearClassifier", domain="ai.onnx.ml", crossed=("T1", "T2"))
def linear_classifier(form):
    x = form.values("T1", 3, 2)
    labels = {"classlabels_ints": [5, 6, 7]} if form.type("T2") == "int64" else {"classlabels_strings": ["a", "b", "c"]}
    for post in ("NONE", "SOFTMAX", "LOGISTIC"):
        yield Case([x], {"coefficients": [0.5, -1.0, 1.5, 0.25, -0.75, 1.0], "intercepts": [0.1, 0.2, -0.3], "post_transform": post, **labels}, 2, label=post)


@recipe("LinearRegressor", domain="ai.onnx.ml")
def linear_regressor(form):
    yield Case([form.values("T", 3, 2)], {"coefficients": [0.5, -1.0, 1.5, 0.25], "intercepts": [0.1, 0.2], "targets": 2})


@recipe("Normalizer", domain="ai.onnx.ml")
def normalizer(form):
    x = form.values("T", 3, 4, low=1, high=5)
    for norm in ("L1", "L2", "MAX"):
        yield Case([x], {"norm": norm}, label=norm)


@recipe("OneHotEncoder", domain="ai.onnx.ml")
def one_hot_encoder(form):
    words = form.type("T") == "string"
    x = np.array(["b", "z", "a"], object) if words else np.array([2, 9, 1], form.dtype("T"))
    yield Case([x], {"cats_strings": ["a", "b", "c"]} if words else {"cats_int64s": [1, 2, 3]}, want=[np.array([[0, 1, 0], [0, 0, 0], [1, 0, 0]], np.float32)])


@recipe("Scaler", domain="ai.onnx.ml")
def scaler(form):
    x = form.values("T", 2, 3)
    f = np.float32
    yield Case([x], {"offset": [0.5, 1.0, -1.0], "scale": [2.0, 0.5, 3.0]}, want=[((x - f([0.5, 1, -1])) * f([2, 0.5, 3])).astype(f)])
    yield Case([x], {"offset": [0.5], "scale": [2.0]}, label="one", want=[((x - f(0.5)) * f(2)).astype(f)])


@recipe("SVMRegressor", domain="ai.onnx.ml")
def svm_regressor(form):
    for kernel in ("LINEAR", "RBF", "POLY", "SIGMOID"):
        yield Case([form.values("T", 3, 2)], {"coefficients": [0.5, -1.0, 0.75], "support_vectors": [1.0, 2.0, -1.0, 0.5, 0.0, 1.0], "n_supports": 3,
                                              "rho": [0.2], "kernel_type": kernel, "kernel_params": [0.5, 0.1, 2.0]}, label=kernel)


@recipe("SVMClassifier", domain="ai.onnx.ml", crossed=("T1", "T2"))
def svm_classifier(form):
    labels = {"classlabels_ints": [3, 4]} if form.type("T2") == "int64" else {"classlabels_strings": ["a", "b"]}
    for label, extra in (("votes", {}), ("probability", {"prob_a": [-1.2], "prob_b": [0.1]})):
        yield Case([form.values("T1", 3, 2)], {"coefficients": [0.5, 1.0, -1.5], "support_vectors": [1.0, 2.0, -1.0, 0.5, 0.0, 1.0],
                                               "vectors_per_class": [2, 1], "rho": [0.2], "kernel_type": "RBF", "kernel_params": [0.5, 0.0, 3.0], **labels, **extra},
                   2, label=label)


def tree(version):
    nodes = {"nodes_treeids": [0] * 5, "nodes_nodeids": list(range(5)), "nodes_featureids": [0, 1, 0, 0, 0],
             "nodes_modes": ["BRANCH_LEQ", "BRANCH_LT", "LEAF", "LEAF", "LEAF"], "nodes_truenodeids": [1, 3, 0, 0, 0], "nodes_falsenodeids": [2, 4, 0, 0, 0],
             "nodes_values": [0.5, -0.25, 0.0, 0.0, 0.0]}
    return nodes


@recipe("TreeEnsembleRegressor", domain="ai.onnx.ml")
def tree_regressor(form):
    x = form.values("T", 6, 2)
    leaves = {"target_treeids": [0, 0, 0], "target_nodeids": [2, 3, 4], "target_ids": [0, 0, 0], "target_weights": [1.5, -2.0, 0.75]}
    values = np.where(x[:, 0] <= 0.5, np.where(x[:, 1] < -0.25, -2.0, 0.75), 1.5)[:, None].astype(np.float32)
    yield Case([x], {**tree(1), **leaves, "n_targets": 1}, want=[values])
    yield Case([x], {**tree(1), **leaves, "n_targets": 1, "base_values": [0.5]}, label="base", want=[values + np.float32(0.5)])
    if form.version >= 3 and form.type("T") == "double":
        attributes = {**tree(1), **leaves, "n_targets": 1}
        for name in ("nodes_values", "target_weights"):
            attributes[f"{name}_as_tensor"] = numpy_helper.from_array(np.array(attributes.pop(name), np.float64))
        yield Case([x], attributes, label="tensors", want=[values])


@recipe("TreeEnsembleClassifier", domain="ai.onnx.ml", crossed=("T1", "T2"))
def tree_classifier(form):
    x = form.values("T1", 6, 2)
    labels = {"classlabels_int64s": [3, 4, 5]} if form.type("T2") == "int64" else {"classlabels_strings": ["a", "b", "c"]}
    leaves = {"class_treeids": [0, 0, 0], "class_nodeids": [2, 3, 4], "class_ids": [0, 1, 2], "class_weights": [1.0, 1.0, 1.0]}
    chosen = np.where(x[:, 0] <= 0.5, np.where(x[:, 1] < -0.25, 1, 2), 0)
    names = np.array(list(labels.values())[0], np.int64 if form.type("T2") == "int64" else object)
    yield Case([x], {**tree(1), **leaves, **labels}, 2, want=[names[chosen], np.eye(3, dtype=np.float32)[chosen]])


@recipe("TreeEnsemble", domain="ai.onnx.ml")
def tree_ensemble(form):
    x, kind = form.values("T", 6, 2), form.dtype("T")
    array = numpy_helper.from_array
    want = np.where(x[:, 0] <= 0.5, np.where(x[:, 1] < -0.25, -2.0, 0.75), 1.5)[:, None].astype(kind)
    yield Case([x], {"tree_roots": [0], "nodes_featureids": [0, 1], "nodes_modes": array(np.array([0, 1], np.uint8)),
                     "nodes_splits": array(np.array([0.5, -0.25], kind)), "nodes_truenodeids": [1, 1], "nodes_trueleafs": [0, 1],
                     "nodes_falsenodeids": [0, 2], "nodes_falseleafs": [1, 1], "leaf_targetids": [0, 0, 0], "n_targets": 1,
                     "leaf_weights": array(np.array([1.5, -2.0, 0.75], kind))}, want=[want])


@recipe("Adagrad", "Adam", "Momentum", domain="ai.onnx.preview.training", crossed=("T1", "T3"))
def training(form):
    r, t = np.array(0.1, form.dtype("T1")), np.array(3, np.int64)
    x, g, v, h = (form.values("T3", 3) for _ in range(4))
    attributes = {"Adagrad": {"norm_coefficient": 0.01, "decay_factor": 0.1, "epsilon": 1e-5}, "Adam": {"alpha": 0.9, "beta": 0.95, "norm_coefficient": 0.01},
                  "Momentum": {"alpha": 0.9, "beta": 0.7, "norm_coefficient": 0.01, "mode": "nesterov"}}[form.schema.name]
    states = [np.abs(v)] if form.schema.name != "Adam" else [v, np.abs(h)]
    yield Case([r, t, x, g, *states], attributes, 1 + len(states))
    if form.schema.name == "Momentum":
        yield Case([r, t, x, g, v], {**attributes, "mode": "standard"}, 2, label="standard")
