"""Recipes of operators that work element by element or reduce; see operator_cases.py."""
import numpy as np

from operator_forms import FLOATS, SMALL_FLOATS, TYPES, Case, code, recipe

ATTRIBUTES = {
    "Elu": {"alpha": 0.7}, "Celu": {"alpha": 1.7}, "Selu": {"alpha": 1.3, "gamma": 0.9}, "LeakyRelu": {"alpha": 0.2},
    "ThresholdedRelu": {"alpha": 0.9}, "HardSigmoid": {"alpha": 0.3, "beta": 0.4}, "Shrink": {"bias": 0.5, "lambd": 1.1},
    "Swish": {"alpha": 1.3}, "Gelu": {"approximate": "tanh"}}
RANGES = {
    "Sqrt": (0, 9), "Log": (0.1, 9), "Acosh": (1, 9), "Asin": (-1, 1), "Acos": (-1, 1), "Atanh": (-0.9, 0.9), "Reciprocal": (0.2, 3)}


def old(form, modern, inputs, attributes=None):
    """How to compute a form before `modern`, whose meaning is the modern one's."""
    return (modern, inputs, attributes or {}) if form.version < modern else None


@recipe("Abs", "Neg", "Sign", "Ceil", "Floor", "Round", "Sqrt", "Reciprocal", "Exp", "Log", "Sin", "Cos", "Tan", "Asin", "Acos", "Atan",
        "Sinh", "Cosh", "Tanh", "Asinh", "Acosh", "Atanh", "Erf", "Softplus", "Softsign", "HardSwish", "Mish", "Sigmoid", "Relu", "Elu",
        "Celu", "Selu", "LeakyRelu", "ThresholdedRelu", "HardSigmoid", "Shrink", "Swish", "Gelu", "Not", "BitwiseNot")
def unary(form):
    variable = form.schema.inputs[0].type_str
    low, high = RANGES.get(form.schema.name, (-4, 4))
    x = form.values(variable, 3, 4, low=low, high=high)
    modern = {"Softplus": 1, "Softsign": 1, "Not": 1}.get(form.schema.name, 6)
    yield Case([x], like=old(form, modern, [x]))
    if form.schema.name in ATTRIBUTES:
        attributes = ATTRIBUTES[form.schema.name]
        yield Case([x], attributes, label="attributes", like=old(form, modern, [x], attributes))
    if form.type(variable) == "float":
        special = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-30, 88.5, -88.5], np.float32)
        if form.schema.name in ("Abs", "Neg", "Ceil", "Floor", "Round", "Sqrt", "Exp", "Log", "Tanh", "Erf", "Relu", "Reciprocal", "Sigmoid"):
            yield Case([special], label="special", like=old(form, modern, [special]), prefer="reference")


@recipe("IsNaN", "IsInf")
def tests(form):
    name = form.type("T1")
    x = np.array([np.nan, np.inf, -np.inf, 0, -1.5, 2], np.float32).astype(form.dtype("T1"))
    yield Case([x], widen=name not in SMALL_FLOATS)
    if form.schema.name == "IsInf":
        yield Case([x], {"detect_negative": 0}, label="positive")
        yield Case([x], {"detect_positive": 0}, label="negative")


@recipe("Add", "Sub", "Mul", "Div", "And", "Or", "Xor", "Equal", "Greater", "Less", "GreaterOrEqual", "LessOrEqual", "BitwiseAnd",
        "BitwiseOr", "BitwiseXor")
def binary(form):
    low = {"Div": 1, "Sub": 0}.get(form.schema.name, -3)
    x, y = form.values("T", 2, 3, 4, low=0 if form.schema.name == "Sub" else -3, high=5), form.values("T", 2, 3, 4, low=low, high=4)
    if form.schema.name == "Sub":
        x = x + y if form.type("T") not in FLOATS else x
    yield Case([x, y], like=old(form, 7, [x, y]))
    if form.version < 7:
        yield Case([x, y[0, 0]], {"broadcast": 1}, label="suffix", like=(7, [x, y[0, 0]], {}))
        yield Case([x, y[0, :, 0]], {"broadcast": 1, "axis": 1}, label="axis", like=(7, [x, y[0, :, :1]], {}))
        yield Case([x, y[:, :, 0]], {"broadcast": 1, "axis": 0}, label="axis0", like=(7, [x, y[:, :, :1]], {}))
    else:
        yield Case([x, y[0, :, :1]], label="broadcast")
        yield Case([x[:, :1], y[0]], label="both")
    if form.schema.name == "Div" and form.type("T").startswith("int"):
        signs = np.array([7, -7, 7, -7, 0], form.dtype("T")), np.array([2, 2, -2, -2, -3], form.dtype("T"))
        yield Case(list(signs), label="signs", prefer="onnxruntime", like=old(form, 7, list(signs)))


@recipe("Pow", crossed=("T", "T1"))
def power(form):
    x, y = form.values("T", 3, 4, low=1, high=4), form.values("T1" if form.version >= 12 else "T", 3, 4, low=0, high=3)
    widen = form.version < 12 or form.type("T") == form.type("T1")
    yield Case([x, y], like=old(form, 7, [x, y]), widen=widen)
    if form.version < 7:
        yield Case([x, y[0]], {"broadcast": 1}, label="suffix", like=(7, [x, y[0]], {}))
    else:
        yield Case([x, y[0]], label="broadcast", widen=widen)


@recipe("Mod")
def mod(form):
    x, y = form.values("T", 2, 6, low=-7, high=7), form.values("T", 6, low=1, high=4)
    if form.type("T").startswith(("int", "float", "double", "bfloat")):
        y[::2] = -y[::2]
    if form.type("T") not in FLOATS:
        yield Case([x, y])
    elif form.version >= 28:
        yield Case([x, y], label="floored")
    yield Case([x, y], {"fmod": 1}, label="fmod")


@recipe("BitShift")
def shift(form):
    x, y = form.values("T", 3, 4, low=-100, high=100), form.values("T", 4, low=0, high=6)
    yield Case([x, y], {"direction": "LEFT"}, label="left", want=[np.left_shift(x, y)])
    yield Case([x, y], {"direction": "RIGHT"}, label="right", want=[np.right_shift(x, y)])


@recipe("Max", "Min", "Sum", "Mean")
def variadic(form):
    x, y, z = (form.values("T", 2, 3) for _ in range(3))
    yield Case([x, y, z], label="three", like=old(form, 8, [x, y, z]))
    yield Case([x], label="one", like=old(form, 8, [x]))
    if form.version >= 8:
        yield Case([x, y[0], z[:, :1]], label="broadcast")


@recipe("PRelu")
def prelu(form):
    x = form.values("T", 2, 3, 4)
    for label, slope in (("same", form.values("T", 2, 3, 4)), ("channel", form.values("T", 3, 1)), ("one", form.values("T", 1))):
        if form.version < 7:
            given = slope.reshape(-1) if label == "channel" else slope
            if label != "same":
                yield Case([x, given], label=label, like=(16, [x, slope], {}))
        else:
            yield Case([x, slope], label=label)


@recipe("Clip")
def clip(form):
    x = form.values("T", 3, 4, low=-9, high=9)
    low, high = (np.asarray(v).astype(form.dtype("T")) for v in ((0, 3) if form.type("T").startswith("uint") else (-2, 3)))
    for label, bounds in (("both", (low, high)), ("low", (low, None)), ("high", (None, high)), ("none", (None, None))):
        if form.version < 11:
            attributes = {k: float(v) for k, v in zip(("min", "max"), bounds) if v is not None}
            yield Case([x], attributes, label=label, like=(13, [x, *bounds], {}))
        else:
            yield Case([x, *bounds], label=label)
    if form.version >= 12 and form.type("T") != "bfloat16":
        yield Case([x, high, low], label="crossed")


@recipe("Dropout")
def dropout(form):
    x = form.values("T", 3, 4)
    if form.version >= 12:
        ratio = np.asarray(0.3, np.float32).astype(form.dtype("T1"))
        yield Case([x], outputs=2, label="plain", want=[x, np.ones_like(x, bool)])
        yield Case([x, ratio, np.array(False)], outputs=2, label="inference", want=[x, np.ones_like(x, bool)])
        yield Case([x, np.asarray(0, np.float32).astype(form.dtype("T1")), np.array(True)], outputs=2, label="nothing",
                   want=[x, np.ones_like(x, bool)])
    elif form.version == 10:
        yield Case([x], {"ratio": 0.3}, 2, want=[x, np.ones_like(x, bool)])
    else:
        yield Case([x], {"ratio": 0.3, **({"is_test": 1} if form.version < 7 else {})}, want=[x])


@recipe("ReduceSum", "ReduceMean", "ReduceProd", "ReduceMax", "ReduceMin", "ReduceL1", "ReduceL2", "ReduceSumSquare", "ReduceLogSum",
        "ReduceLogSumExp")
def reduce(form):
    as_input = form.version >= (13 if form.schema.name == "ReduceSum" else 18)
    integers = form.type("T") not in FLOATS
    if integers and "LogSum" in form.schema.name:
        return  # which of the steps round to an integer is not said; dropped in version 28
    low = 1 if form.schema.name == "ReduceLogSum" else -2
    x = form.values("T", 2, 3, 4, low=low, high=3)
    prefer = "reference" if integers and form.schema.name in ("ReduceMean", "ReduceL2") else None
    for label, axes, keep in (("all", None, 1), ("flat", None, 0), ("one", [1], 1), ("two", [0, -1 if form.version >= 11 else 2], 0)):
        attributes = {"keepdims": keep}
        inputs, modern = [x], [x]
        if axes is not None and as_input:
            inputs = [x, form.ints(*axes)]
        elif axes is not None:
            attributes["axes"] = axes
        like = None if form.version >= 11 else (11, modern, attributes)
        yield Case(inputs, attributes, label=label, like=like, prefer=prefer, **({"int_tolerance": 0} if integers else {}))
    if as_input:
        yield Case([x, form.ints()], {"noop_with_empty_axes": 1}, label="noop", prefer="reference")
        yield Case([x, form.ints()], {"noop_with_empty_axes": 0}, label="empty")
        if form.type("T") in ("float", "int32", "bool", "uint8") and form.schema.name != "ReduceMean":
            yield Case([form.values("T", 2, 0, 3), form.ints(1)], label="nothing", prefer="reference")


@recipe("ArgMax", "ArgMin")
def arg(form):
    x = form.values("T", 3, 4, 2, low=-2, high=2)
    for label, attributes in (("default", {}), ("axis", {"axis": 1, "keepdims": 0}), ("last", {"axis": 1, "select_last_index": 1}),
                              ("negative", {"axis": -1})):
        if label == "last" and form.version < 12 or label == "negative" and form.version < 11:
            continue
        yield Case([x], attributes, label=label, like=None if form.version >= 11 else (11, [x], attributes))


@recipe("CumSum", "CumProd", crossed=())
def cumulative(form):
    x = form.values(form.schema.inputs[0].type_str, 3, 4, low=-2, high=3)
    for label, attributes in (("plain", {}), ("exclusive", {"exclusive": 1}), ("reverse", {"reverse": 1}), ("both", {"exclusive": 1, "reverse": 1})):
        yield Case([x, np.array(1, form.dtype("T2"))], attributes, label=label)
    yield Case([x, np.array(-2, form.dtype("T2"))], label="negative")


@recipe("Softmax", "LogSoftmax", "Hardmax")
def softmax(form):
    x = form.values("T", 2, 3, 4)
    for label, attributes in (("default", {}), ("axis0", {"axis": 0}), ("axis2", {"axis": 2}), ("negative", {"axis": -2})):
        if label != "negative" or form.version >= 11:
            yield Case([x], attributes, label=label, like=old(form, 11, [x], attributes))


@recipe("TopK")
def top_k(form):
    # Distinct values: which of several equal ones is taken is not said.
    x = np.stack([form.rng.permutation(6) for _ in range(4)]).reshape(2, 2, 6)
    x = x.astype(np.float32).astype(form.dtype("T")) if form.type("T") in FLOATS else x.astype(form.dtype("T"))
    k = form.ints(3)
    if form.version == 1:
        yield Case([x], {"k": 3}, 2, like=(10, [x, k], {}))
        yield Case([x], {"k": 1, "axis": 0}, 2, label="axis", like=(10, [x, form.ints(1)], {"axis": 0}))
    else:
        yield Case([x, k], {}, 2)
        yield Case([x, form.ints(1)], {"axis": 1}, 2, label="axis")
    if form.version >= 11:
        yield Case([x, k], {"largest": 0, "axis": -1}, 2, label="smallest")


@recipe("Einsum")
def einsum(form):
    x, y = form.values("T", 2, 3), form.values("T", 3, 4)
    for label, equation, inputs in (("product", "ij,jk->ik", [x, y]), ("sum", "ij->j", [x]), ("trace", "ii", [y[:, :3]]),
                                    ("ellipsis", "...j,jk->...k", [x, y])):
        yield Case(inputs, {"equation": equation}, label=label, prefer="reference")


@recipe("MatMul")
def matmul(form):
    high = 4
    for label, left, right in (("plain", (2, 3), (3, 4)), ("batch", (2, 1, 2, 3), (4, 3, 2)), ("vector", (3,), (3, 4)), ("dot", (3,), (3,))):
        x, y = form.values("T", *left, high=high), form.values("T", *right, high=high)
        yield Case([x, y], label=label)


@recipe("Gemm")
def gemm(form):
    a, b, c = form.values("T", 3, 2), form.values("T", 3, 4), form.values("T", 4)
    integers = form.type("T") not in FLOATS
    attributes = {"transA": 1} if integers else {"transA": 1, "alpha": 0.5, "beta": 0.25}
    if form.version < 7:
        yield Case([a, b, c], {**attributes, "broadcast": 1}, like=(7, [a, b, c], attributes))
        full = form.values("T", 2, 4)
        yield Case([a.T.copy(), b, full], {}, label="full", like=(7, [a.T.copy(), b, full], {}))
    else:
        yield Case([a, b, c], attributes)
        yield Case([a.T.copy(), b.T.copy(), c], {"transB": 1}, label="transposed")
    if form.version >= 11:
        yield Case([a.T.copy(), b], label="no_c")


@recipe("SwiGLU")
def swiglu(form):
    a, b = form.values("T", 2, 3), form.values("T", 2, 3)
    yield Case([a, b])
    yield Case([a, b], {"alpha": 1.5}, label="alpha")


def numbers(form, variable, count=8):
    """Values that survive in most types, with some that do not."""
    name = form.type(variable)
    if name == "string":
        return np.array(["3", "-2", "1.5", "0", "1e2", "+INF", "NaN", "-inf"], object)
    if name == "bool":
        return np.array([True, False] * 4)
    if name in ("float", "double", "float16", "bfloat16", "float8e5m2"):
        return np.array([0, 1, -1.5, 2.5, 3.7, -100, np.inf, np.nan], np.float32).astype(TYPES[name])
    if name in SMALL_FLOATS:
        return np.array([0, 1, -1.5, 2.5, 3.7, -6, 0.5, 4] if name != "float8e8m0" else [1, 2, 4, 0.5, 8, 1, 2, 16], np.float32).astype(TYPES[name])
    low, high = (0, 3) if name == "uint2" else (-2, 1) if name == "int2" else (0, 15) if name == "uint4" else (-8, 7) if name == "int4" else (
        0, 250) if name.startswith("uint") else (-120, 120)
    return form.rng.integers(low, high + 1, count).astype(TYPES[name])


def castable(x, source, target):
    """The values whose conversion ONNX defines."""
    if source == target:
        return x[np.isfinite(x.astype(np.float64))] if source in FLOATS else x
    if source in FLOATS and target not in FLOATS and target not in ("bool", "string"):
        wide = x.astype(np.float64)
        low, high = {"uint2": (0, 3), "int2": (-2, 1), "uint4": (0, 15), "int4": (-8, 7)}.get(target) or (
            np.iinfo(TYPES[target]).min, np.iinfo(TYPES[target]).max)
        return x[np.isfinite(wide) & (np.trunc(wide) >= low) & (np.trunc(wide) <= high)]
    if source == "string":
        if target in ("bool",) or target.startswith(("float4", "float6")):
            return None
        if target not in FLOATS:
            return np.array(["3", "1", "0", "2"] if not target.endswith("int2") else ["1", "0"], object)
        return x[:5] if target in SMALL_FLOATS else x
    if target == "float8e8m0":
        wide = x.astype(np.float64)
        return x[(wide > 0) & np.isfinite(wide)]
    if target.startswith(("float4", "float6")):
        wide = x.astype(np.float64)
        return x[np.isfinite(wide)]
    return x


@recipe("Cast", "CastLike", crossed=("T1", "T2"))
def cast(form):
    source, target = form.type("T1"), form.type("T2")
    x = castable(numbers(form, "T1"), source, target)
    if x is None or target == "string" and source in SMALL_FLOATS | {"bool"}:
        return
    if target == "string":
        x = x[[1, 2, 3]] if source in FLOATS else x
    for saturate in ((1, 0) if form.version >= 19 and target in SMALL_FLOATS and source != "string" else (1,)):
        attributes = {"saturate": 0} if not saturate else {}
        # ONNX Runtime writes whole numbers without a fraction.
        extra = dict(widen=False, label="" if saturate else "unsaturated", prefer="onnxruntime" if target == "string" else "reference")
        if form.schema.name == "CastLike":
            yield Case([x, np.zeros((1,), form.dtype("T2")) if target != "string" else np.array([""], object)], attributes, **extra)
        elif form.version == 1:
            name = {"string": "STRING"}.get(target, target.upper())
            yield Case([x], {"to": name}, like=(13, [x], {"to": code(target)}), **extra)
        else:
            yield Case([x], {"to": code(target), **attributes}, like=None if form.version >= 9 else (13, [x], {"to": code(target)}), **extra)
    if form.schema.name == "Cast" and target == "float8e8m0" and form.version >= 24 and source == "float":
        wide = np.array([1, 1.5, 3, 5.9, 6, 1e-3, 1e30], np.float32)
        for mode in ("up", "down", "nearest"):
            yield Case([wide], {"to": code(target), "round_mode": mode}, widen=False, label=mode)


@recipe("BitCast", crossed=("T1", "T2"))
def bit_cast(form):
    source, target = form.type("T1"), form.type("T2")
    if "string" in (source, target) or bits(source) != bits(target) or "bool" in (source, target) and source != target:
        return
    yield Case([form.values("T1", 2, 4)], {"to": code(target)}, widen=False)


def bits(name):
    if name.endswith("int2"):
        return 2
    if name.endswith("int4") or name == "float4e2m1":
        return 4
    if name.startswith("float6"):
        return 6
    return np.dtype(TYPES[name]).itemsize * 8
