"""Cases of ai.onnx.ml operators that no model of make_models.py has in all their forms."""
import numpy as np

ML = {"domain": "ai.onnx.ml"}


def cases(writer, rng):
    features(writer, rng)
    labels(writer, rng)
    linear(writer, rng)
    trees(writer, rng)


def features(writer, rng):
    for kind in (np.float32, np.float64, np.int64, np.int32):
        name = np.dtype(kind).name
        x = (rng.standard_normal((4, 5)) * 3).astype(kind)
        writer.add(f"ArrayFeatureExtractor_{name}", "ArrayFeatureExtractor", [x, np.array([[3, 0, 3]])], **ML)
        writer.add(f"ArrayFeatureExtractor_row_{name}", "ArrayFeatureExtractor", [x[0], np.array([2, 4])], **ML)
        if kind == np.float32:
            writer.add("Binarizer", "Binarizer", [x], {"threshold": 0.5}, **ML)
        for norm in ("MAX", "L1", "L2"):
            writer.add(f"Normalizer_{norm}_{name}", "Normalizer", [np.concatenate([x, np.zeros_like(x[:1])])], {"norm": norm}, **ML)
        for count in (1, 5):
            writer.add(f"Scaler_{count}_{name}", "Scaler", [x], {"offset": [0.5] * count, "scale": [1.5 + k for k in range(count)]}, **ML)
        writer.add(f"FeatureVectorizer_{name}", "FeatureVectorizer", [x, x[:, :2]], {"inputdimensions": [5, 2]}, **ML)
    x = np.array([[1, np.nan, 3], [np.nan, 0, 2]], np.float32)
    for label, given in (("one", [7.0]), ("all", [7.0, 8.0, 9.0])):
        writer.add(f"Imputer_nan_{label}", "Imputer", [x], {"imputed_value_floats": given, "replaced_value_float": float("nan")}, **ML)
        writer.add(f"Imputer_zero_{label}", "Imputer", [x], {"imputed_value_floats": given, "replaced_value_float": 0.0}, **ML)
    writer.add("Imputer_int", "Imputer", [np.array([[1, -1], [-1, 2]])], {"imputed_value_int64s": [5, 6], "replaced_value_int64": -1}, **ML)
    writer.add("OneHotEncoder_int", "OneHotEncoder", [np.array([[3], [9], [1]])], {"cats_int64s": [1, 3, 5], "zeros": 1}, **ML)
    writer.add("OneHotEncoder_float", "OneHotEncoder", [np.array([3, 1.0, 5], np.float32)], {"cats_int64s": [1, 3, 5], "zeros": 0}, **ML)
    words = np.array([["b", "x", "a"]], object)
    writer.add("OneHotEncoder_string", "OneHotEncoder", [words], {"cats_strings": ["a", "b"], "zeros": 1}, **ML)


def labels(writer, rng):
    words, numbers = np.array([["b", "x", "a"]], object), np.array([7, 5, 9])
    writer.add("CategoryMapper_string", "CategoryMapper", [words], {"cats_strings": ["a", "b"], "cats_int64s": [7, 5], "default_int64": -3}, **ML)
    writer.add("CategoryMapper_int", "CategoryMapper", [numbers], {"cats_strings": ["a", "b"], "cats_int64s": [7, 5], "default_string": "?"}, **ML)
    floats = np.array([1.5, 2, 3], np.float32)
    for label, x, attributes in (
        ("string_int", words, {"keys_strings": ["a", "b"], "values_int64s": [4, 5], "default_int64": 42}),
        ("int_string", numbers, {"keys_int64s": [9, 5], "values_strings": ["nine", "five"]}),
        ("float_float", floats, {"keys_floats": [3.0, 2.0], "values_floats": [1.0, 0.5], "default_float": -2.0}),
        ("string_float", words, {"keys_strings": ["x"], "values_floats": [0.25]}),
        ("int_int", numbers, {"keys_int64s": [7, 9], "values_int64s": [1, 2]})):
        writer.add(f"LabelEncoder_{label}", "LabelEncoder", [x], attributes, **ML)


def linear(writer, rng):
    x = rng.standard_normal((6, 4)).astype(np.float32)
    w = rng.standard_normal(12).astype(np.float32).tolist()
    for transform in ("NONE", "LOGISTIC", "SOFTMAX", "SOFTMAX_ZERO"):
        for count in (3, 2):
            writer.add(f"LinearClassifier_{transform}_{count}", "LinearClassifier", [x], {
                "coefficients": w[:4 * count], "intercepts": [0.1, -0.2, 0.3][:count], "post_transform": transform,
                "classlabels_ints": [5, 7, 9][:count]}, 2, **ML)
        writer.add(f"LinearClassifier_{transform}_single", "LinearClassifier", [x], {
            "coefficients": w[:4], "intercepts": [0.1], "post_transform": transform, "classlabels_strings": ["no", "yes"]}, 2, **ML)
        writer.add(f"LinearRegressor_{transform}", "LinearRegressor", [x], {
            "coefficients": w, "intercepts": [0.1, -0.2, 0.3], "targets": 3, "post_transform": transform}, **ML)
    writer.add("LinearRegressor_one", "LinearRegressor", [x], {"coefficients": w[:4]}, **ML)


def trees(writer, rng):
    modes = ["BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ"]
    x = np.round(rng.standard_normal((70, 3)) * 2).astype(np.float32) / 2
    x[3, 0] = x[9, 1] = np.nan
    nodes = {"nodes_treeids": [], "nodes_nodeids": [], "nodes_featureids": [], "nodes_values": [], "nodes_modes": [],
             "nodes_truenodeids": [], "nodes_falsenodeids": [], "nodes_missing_value_tracks_true": []}
    leaves = []
    for tree in range(6):
        for node in range(7):
            branch = node < 3
            for key, value in zip(nodes, (tree, node, (tree + node) % 3, float(np.round(rng.standard_normal() * 2) / 2) if branch else 0.0,
                                          modes[tree] if branch else "LEAF", 2 * node + 1 if branch else 0, 2 * node + 2 if branch else 0,
                                          (tree + node) % 2 if branch else 0)):
                nodes[key].append(value)
            if not branch:
                leaves.append((tree, node))

    def votes(prefix, targets, weights):
        return {f"{prefix}_treeids": [t for t, _ in leaves for _ in targets], f"{prefix}_nodeids": [n for _, n in leaves for _ in targets],
                f"{prefix}_ids": [k for _ in leaves for k in targets], f"{prefix}_weights": weights[:len(leaves) * len(targets)].tolist()}

    mixed, positive = rng.standard_normal(200).astype(np.float32), (rng.random(200) / 5).astype(np.float32)
    for function in ("SUM", "AVERAGE", "MIN", "MAX"):
        for count in (1, 2):
            writer.add(f"TreeEnsembleRegressor_{function}_{count}", "TreeEnsembleRegressor", [x], {
                **nodes, **votes("target", range(count), mixed), "n_targets": count, "aggregate_function": function,
                "base_values": [0.3, -0.4][:count]}, **ML)
    for label, weights in (("mixed", mixed), ("positive", positive)):
        for transform in ("NONE", "LOGISTIC", "SOFTMAX"):
            for targets, classes in (([0], 2), ([1], 2), ([0, 1], 2), ([0, 1, 2], 3)):
                for base in ([], [0.1, -0.3, 0.2][:classes]):
                    if base and targets in ([1], [0, 1]):
                        continue  # ONNX Runtime takes the sum of the other class there
                    # Where both classes have votes, ONNX Runtime gives 0 or 1 for the label, whatever the labels are.
                    outputs = [None if targets == [0, 1] else True, True]
                    writer.add(f"TreeEnsembleClassifier_{label}_{transform}_{'_'.join(map(str, targets))}_{len(base)}",
                               "TreeEnsembleClassifier", [x], {
                                   **nodes, **votes("class", targets, weights), "classlabels_int64s": [4, 6, 8][:classes],
                                   "post_transform": transform, **({"base_values": base} if base else {})}, outputs, **ML)
