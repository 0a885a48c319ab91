"""Recipes of sequences, optionals, control flow, strings, random numbers, training and classical models; see operator_cases.py."""
import numpy as np
import onnx
from onnx import helper, numpy_helper

from operator_cases import TYPES, Case, Optional, Sequence, code, parsed, recipe, tensor_type


def proto(kind):
    head, inner = kind
    if head == "tensor":
        return tensor_type(inner)
    return {"seq": helper.make_sequence_type_proto, "optional": helper.make_optional_type_proto}[head](proto(inner))


def wrapped(form, type_string, again=False):
    """A value of any type; `again` gives the same one once more."""
    cache = form.__dict__.setdefault("made", {})
    if again and type_string in cache:
        return cache[type_string]
    cache[type_string] = build(form, parsed(type_string))
    return cache[type_string]


def build(form, kind):
    head, inner = kind
    if head == "tensor":
        form.types["_"] = f"tensor({inner})"
        value = form.values("_", 2, 3)
        del form.types["_"]
        return value
    if head == "seq":
        return Sequence([build(form, inner), build(form, inner)], proto(inner))
    return Optional(build(form, inner), proto(inner))


def three(form, variable="S"):
    element = parsed(form.types[variable])[1]
    form.types["_"] = f"tensor({element[1]})"
    values = [form.values("_", n, 2) for n in (1, 3, 2)]
    del form.types["_"]
    return Sequence(values, proto(element)), values, element


@recipe("SequenceConstruct", fixed=("S",))
def construct(form):
    x, y = form.values("T", 2), form.values("T", 3)
    form.types["S"] = f"seq({form.types['T']})"
    yield Case([x, y], want=[[x, y]])


@recipe("SequenceEmpty")
def empty(form):
    yield Case([], {"dtype": code(parsed(form.types["S"])[1][1])}, want=[[]])


@recipe("SequenceLength")
def length(form):
    yield Case([three(form)[0]], want=[np.array(3, np.int64)])


@recipe("SequenceAt", fixed=("T",))
def at(form):
    sequence, values, element = three(form)
    form.types["T"] = f"tensor({element[1]})"
    for position in (1, -1):
        yield Case([sequence, np.array(position, form.dtype("I"))], label=str(position).replace("-", "m"), want=[values[position]])


@recipe("SequenceErase")
def erase(form):
    sequence, values, _ = three(form)
    yield Case([sequence, np.array(-2, form.dtype("I"))], want=[[values[0], values[2]]])
    yield Case([sequence], label="last", want=[values[:2]])


@recipe("SequenceInsert", fixed=("S",))
def insert(form):
    form.types["S"] = f"seq({form.types['T']})"
    sequence, values, _ = three(form)
    x = form.values("T", 2, 2)
    yield Case([sequence, x, np.array(-1, form.dtype("I"))], want=[[*values[:2], x, values[2]]])
    yield Case([sequence, x], label="last", want=[[*values, x]])


@recipe("ConcatFromSequence", fixed=("T",))
def concat(form):
    sequence, values, element = three(form)
    form.types["T"] = f"tensor({element[1]})"
    yield Case([sequence], {"axis": 0}, want=[np.concatenate(values)])
    same = Sequence([values[1], values[1]], sequence.element)
    yield Case([same], {"axis": -1, "new_axis": 1}, label="new_axis", want=[np.stack([values[1]] * 2, -1)])


@recipe("SplitToSequence", fixed=("S",))
def split(form):
    form.types["S"] = f"seq({form.types['T']})"
    x = form.values("T", 5, 2)
    yield Case([x, np.array(2, form.dtype("I"))], label="size", want=[[x[:2], x[2:4], x[4:]]])
    yield Case([x, np.array([4, 1], form.dtype("I"))], label="sizes", want=[[x[:4], x[4:]]])
    yield Case([x], {"axis": 1}, label="ones", want=[[x[:, :1], x[:, 1:]]])
    yield Case([x], {"axis": -1, "keepdims": 0}, label="squeezed", want=[[x[:, 0].copy(), x[:, 1].copy()]])


@recipe("SequenceMap", fixed=("V",))
def sequence_map(form):
    sequence, values, element = three(form)
    body = helper.make_graph([helper.make_node("Concat", ["a", "a"], ["b"], axis=1)], "body",
                             [helper.make_tensor_value_info("a", code(element[1]), None)], [helper.make_tensor_value_info("b", code(element[1]), None)])
    yield Case([sequence], {"body": body}, want=[[np.concatenate([v, v], 1) for v in values]])


@recipe("Optional", fixed=("O",))
def optional(form):
    form.types["O"] = f"optional({form.types['V']})"
    value = wrapped(form, form.types["V"])
    yield Case([value], want=[value])
    yield Case([], {"type": proto(parsed(form.types["V"]))}, label="nothing", want=[None])


def held(form):
    value = wrapped(form, form.types["O"])
    return value, value.value if isinstance(value, Optional) else value


@recipe("OptionalGetElement", fixed=("V",))
def get_element(form):
    value, content = held(form)
    kind = parsed(form.types["O"])
    form.types["V"] = form.types["O"] if kind[0] != "optional" else form.types["O"][len("optional("):-1]
    yield Case([value], want=[content])


@recipe("OptionalHasElement")
def has_element(form):
    value, _ = held(form)
    yield Case([value], want=[np.array(True)])
    if isinstance(value, Optional):
        yield Case([Optional(None, value.element)], label="nothing", want=[np.array(False)])
    if form.version >= 18:
        yield Case([None], label="absent", want=[np.array(False)])


def info(name, type_string):
    return helper.make_value_info(name, proto(parsed(type_string)))


@recipe("If")
def if_(form):
    kind = form.types["V"]
    x = wrapped(form, kind)
    value = x if parsed(kind)[0] == "tensor" else None
    if value is None:
        return  # branches have no inputs: see Identity, Loop and Optional for the other types
    y = build(form, parsed(kind))
    branches = {
        name: helper.make_graph([helper.make_node("Constant", [], ["z"], value=numpy_helper.from_array(v))], name, [], [info("z", kind)])
        for name, v in (("then_branch", x), ("else_branch", y))}
    for flag in (True, False):
        yield Case([np.array(flag)], branches, label=str(flag).lower(), want=[x if flag else y])


@recipe("Loop", fixed=("I", "B"))
def loop(form):
    kind = form.types["V"]
    x = wrapped(form, kind)
    body = helper.make_graph(
        [helper.make_node("Identity", ["c"], ["d"]), helper.make_node("Identity", ["v"], ["w"])], "body",
        [info("i", "tensor(int64)"), info("c", "tensor(bool)"), info("v", kind)], [info("d", "tensor(bool)"), info("w", kind)])
    if parsed(kind)[0] != "tensor":
        if form.version >= {"seq": 14, "optional": 16}[parsed(kind)[0]]:
            yield Case([np.array(2, np.int64), np.array(True), x], {"body": body}, want=[x])
        return
    body.node.append(helper.make_node("Identity", ["v"], ["s"]))
    body.output.append(info("s", kind))
    yield Case([np.array(2, np.int64), np.array(True), x], {"body": body}, 2, want=[x, np.stack([x, x])])
    yield Case([np.array(3, np.int64), None, x], {"body": body}, 2, label="count", want=[x, np.stack([x, x, x])])


@recipe("Scan", fixed=("I",))
def scan(form):
    kind = form.types["V"]
    x, state = wrapped(form, kind), build(form, parsed(kind))[0]
    body = helper.make_graph(
        [helper.make_node("Identity", ["e"], ["t"]), helper.make_node("Identity", ["s"], ["o"])], "body",
        [info("s", kind), info("e", kind)], [info("t", kind), info("o", kind)])
    if form.version == 8:
        batch = np.stack([x, x[::-1]])
        states = np.stack([state, state])
        yield Case([None, states, batch], {"body": body, "num_scan_inputs": 1}, 2,
                   want=[batch[:, -1], np.stack([np.stack([states[b], batch[b, 0]]) for b in range(2)])])
        lengths = form.ints(1, 2)
        zeros = np.zeros_like(state) if state.dtype != object else np.array([""] * 3, object)
        yield Case([lengths, states, batch], {"body": body, "num_scan_inputs": 1}, 2, label="lengths",
                   want=[np.stack([batch[0, 0], batch[1, 1]]), np.stack([np.stack([state, zeros]), np.stack([state, batch[1, 0]])])])
        return
    yield Case([state, x], {"body": body, "num_scan_inputs": 1}, 2, want=[x[-1], np.stack([state, x[0]])])
    yield Case([state, x], {"body": body, "num_scan_inputs": 1, "scan_input_directions": [1], "scan_output_directions": [1]}, 2, label="reverse",
               want=[x[0], np.stack([x[1], state])])
    yield Case([state, np.ascontiguousarray(x.T)], {"body": body, "num_scan_inputs": 1, "scan_input_axes": [1], "scan_output_axes": [1]}, 2, label="axes",
               want=[x[-1], np.stack([state, x[0]], 1)])


@recipe("StringConcat")
def string_concat(form):
    x, y = form.values("T", 2, 3), form.values("T", 3)
    yield Case([x, y], want=[x + y])


@recipe("StringSplit")
def string_split(form):
    x = np.array(["a b  c", "", "one", "x,y,,z"], object)
    yield Case([x], outputs=2)
    yield Case([x], {"delimiter": ","}, 2, label="comma", prefer="reference")
    yield Case([x], {"maxsplit": 1}, 2, label="once")


@recipe("StringNormalizer")
def string_normalizer(form):
    x = np.array(["Monday", "tuesday", "Ümlaut", "monday"], object)
    for label, attributes, want in (
        ("lower", {"case_change_action": "LOWER"}, ["monday", "tuesday", "ümlaut", "monday"]),
        ("upper", {"case_change_action": "UPPER", "is_case_sensitive": 1, "stopwords": ["monday"]}, ["MONDAY", "TUESDAY", "ÜMLAUT"]),
        ("stop", {"stopwords": ["monday"], "is_case_sensitive": 0, "case_change_action": "LOWER"}, ["tuesday", "ümlaut"]), ("none", {}, x)):
        yield Case([x], attributes, label=label, want=[np.array(want, object)])


@recipe("RegexFullMatch")
def regex(form):
    yield Case([np.array(["www.a.com", "b@c.de", ""], object)], {"pattern": r"(\W|^)[\w.\-]{0,25}@[a-z]+\.de(\W|$)"})
    yield Case([np.array([["abc", "abd"]], object)], {"pattern": "ab[cx]"}, label="short")


@recipe("TfIdfVectorizer")
def tf_idf(form):
    words = form.type("T") == "string"
    x = np.array(list("abcab") if words else [1, 2, 3, 1, 2], form.dtype("T"))
    pool = {"pool_strings": ["a", "b", "c", "a", "b", "b", "c"]} if words else {"pool_int64s": [1, 2, 3, 1, 2, 2, 3]}
    for mode in ("TF", "IDF", "TFIDF"):
        for skip in (0, 1):
            yield Case([x], {"mode": mode, "min_gram_length": 1, "max_gram_length": 2, "max_skip_count": skip, "ngram_counts": [0, 3],
                             "ngram_indexes": [0, 2, 1, 3, 4], "weights": [1.0, 0.5, 2.0, 3.0, 0.25], **pool}, label=f"{mode}_{skip}")


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


assert onnx
