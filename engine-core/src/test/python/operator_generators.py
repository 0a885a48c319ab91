"""Recipes of operators that make tensors or sample them anew; see operator_cases.py."""
import numpy as np
from onnx import helper, numpy_helper

from operator_forms import FLOATS, Case, code, recipe


@recipe("NonZero")
def non_zero(form):
    x = form.values("T", 3, 4, low=-1, high=1)
    if form.type("T") == "string":
        yield Case([x], want=[np.array(np.nonzero(x != ""), np.int64)])
    else:
        x = np.where(form.rng.random((3, 4)) < 0.4, np.zeros((), x.dtype), x)
        yield Case([x], want=[np.array(np.nonzero(x.astype(np.complex128)), np.int64)])


@recipe("Unique")
def unique(form):
    if form.type("T").startswith("complex"):
        return
    x = form.values("T", 8, low=-2, high=2) if form.type("T") not in FLOATS else np.round(form.rng.uniform(-2, 2, 8)).astype(np.float32).astype(form.dtype("T"))
    yield Case([x], outputs=4)
    yield Case([x], {"sorted": 0}, 4, label="unsorted")
    rows = np.stack([x[:2], x[2:4], x[:2]])
    yield Case([rows], {"axis": 0}, 4, label="axis")


@recipe("OneHot")
def one_hot(form):
    index, depth = np.array([0, 2, 1], np.float32).astype(form.dtype("T1")), np.asarray(3, np.float32).astype(form.dtype("T2"))
    values = form.values("T3", 2)
    want = np.where(np.eye(3, dtype=bool)[[0, 2, 1]], values[1], values[0])
    yield Case([index, depth, values], want=[want])
    yield Case([index, depth.reshape(1), values], {"axis": 0}, label="axis", want=[np.ascontiguousarray(want.T)])
    if not form.type("T1").startswith("uint"):
        negative = np.array([-1, 5, -4], np.float32).astype(form.dtype("T1"))
        outside = np.where(np.array([[0, 0, 1], [0, 0, 0], [0, 0, 0]], bool), values[1], values[0])
        yield Case([negative, depth, values], label="outside", want=[outside])


@recipe("EyeLike", crossed=("T1", "T2"))
def eye_like(form):
    x = form.values("T1", 3, 4)
    yield Case([x], {"dtype": code(form.type("T2")), "k": 1}, want=[np.eye(3, 4, 1).astype(form.dtype("T2"))])
    if form.type("T2") == form.type("T1"):
        yield Case([x], label="same", want=[np.eye(3, 4).astype(form.dtype("T2"))])


@recipe("ConstantOfShape")
def constant_of_shape(form):
    value = form.values("T2", 1)
    yield Case([form.ints(2, 3)], {"value": numpy_helper.from_array(value)}, want=[np.repeat(value, 6).reshape(2, 3)])
    if form.type("T2") == "float":
        yield Case([form.ints()], label="scalar", want=[np.array(0, np.float32)])


@recipe("Constant")
def constant(form):
    value = form.values("T", 2, 3)
    yield Case([], {"value": numpy_helper.from_array(value)}, want=[value])
    if form.version >= 12 and form.type("T") == "float":
        f, i, s = np.float32, np.int64, object
        for name, given, want in (
            ("value_float", 1.5, np.array(1.5, f)), ("value_floats", [1.5, 2.0], np.array([1.5, 2], f)), ("value_int", 7, np.array(7, i)),
            ("value_ints", [7, 8], np.array([7, 8], i)), ("value_string", "äx", np.array("äx", s)), ("value_strings", ["a", "b"], np.array(["a", "b"], s))):
            yield Case([], {name: given}, label=name, want=[want])
    if form.version >= 11 and form.type("T") in ("float", "double", "int64", "int32", "bool", "float16", "uint8"):
        values = form.values("T", 2, low=1, high=3)
        for label, indices in (("linear", np.array([1, 5])), ("pairs", np.array([[0, 1], [1, 2]]))):
            sparse = helper.make_sparse_tensor(numpy_helper.from_array(values, "v"), numpy_helper.from_array(indices), [2, 3])
            want = np.zeros(6, form.dtype("T"))
            want[[1, 5]] = values
            yield Case([], {"sparse_value": sparse}, label=f"sparse_{label}", want=[want.reshape(2, 3)])


@recipe("Range")
def range_(form):
    for label, start, limit, delta in (("up", 1, 9, 2), ("down", 10, 2, -3), ("nothing", 4, 4, 1)):
        yield Case([np.asarray(v, np.float32).astype(form.dtype("T")) for v in (start, limit, delta)], label=label)


@recipe("Upsample")
def upsample(form):
    x = form.values("T", 1, 1, 2, 3)
    want = [x.repeat(2, 2).repeat(3, 3)]
    if form.version == 1:
        yield Case([x], {"height_scale": 2.0, "width_scale": 3.0, "mode": "nearest"}, want=want)
    elif form.version == 7:
        yield Case([x], {"scales": [1.0, 1.0, 2.0, 3.0]}, want=want)
        if form.type("T") in ("float", "double", "float16"):
            yield Case([x], {"scales": [1.0, 1.0, 2.0, 2.0], "mode": "linear"}, label="linear",
                       like=(9, [x, np.array([1, 1, 2, 2], np.float32)], {"mode": "linear"}))
    elif form.version == 9:
        yield Case([x, np.array([1, 1, 2, 3], np.float32)], want=want)
        if form.type("T") in ("float", "double", "float16"):
            yield Case([x, np.array([1, 1, 2, 2], np.float32)], {"mode": "linear"}, label="linear")


@recipe("Resize")
def resize(form):
    variable = form.schema.inputs[0].type_str
    x = form.values(variable, 1, 1, 4, 6)
    scales, f = np.array([1, 1, 2, 2], np.float32), np.float32
    name = form.type(variable)
    if name in ("string", "bool") or name.startswith("complex"):
        want = [x.repeat(2, 2).repeat(2, 3)]
        empty = np.array([], form.dtype("T2")) if form.version >= 11 else None
        yield Case([x, scales] if form.version == 10 else [x, empty, scales],
                   {} if form.version == 10 else {"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}, want=want)
        return
    if form.version == 10:
        yield Case([x, scales], {"mode": "nearest"}, label="nearest")
        yield Case([x, np.array([1, 1, 0.5, 0.5], f)], {"mode": "nearest"}, label="down")
        if name in FLOATS:
            yield Case([x, scales], {"mode": "linear"}, label="linear")
        return
    roi = np.array([], form.dtype("T2")) if form.version < 13 else None
    down = np.array([1, 1, 0.6, 0.6], f)
    for mode in ("nearest", "linear", "cubic"):
        if mode != "nearest" and name not in FLOATS:
            continue
        if name not in ("float", "bfloat16") and mode == "cubic":
            continue
        for transformation in ("half_pixel", "align_corners", "asymmetric", "pytorch_half_pixel"):
            yield Case([x, roi, scales], {"mode": mode, "coordinate_transformation_mode": transformation}, label=f"{mode}_{transformation}",
                       prefer="reference")
        yield Case([x, roi, down], {"mode": mode}, label=f"{mode}_down", prefer="reference")
        yield Case([x, roi, None if form.version >= 13 else np.array([], f), form.ints(1, 1, 3, 7)], {"mode": mode},
                   label=f"{mode}_sizes", prefer="reference")
    for nearest in ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil"):
        yield Case([x, roi, down], {"mode": "nearest", "nearest_mode": nearest}, label=nearest, prefer="reference")
    if name == "float":
        crop = np.array([0, 0, 0.2, 0.1, 1, 1, 0.8, 1.2], form.dtype("T2"))
        yield Case([x, crop, None if form.version >= 13 else np.array([], f), form.ints(1, 1, 3, 3)],
                   {"mode": "linear", "coordinate_transformation_mode": "tf_crop_and_resize", "extrapolation_value": 9.0}, label="crop", prefer="reference")
        yield Case([x, roi, down], {"mode": "cubic", "exclude_outside": 1, "cubic_coeff_a": -0.5}, label="exclude", prefer="reference")
    if form.version == 11 and name == "float":
        yield Case([x, roi, scales], {"mode": "nearest", "coordinate_transformation_mode": "tf_half_pixel_for_nn"}, label="tf")
    if form.version >= 18 and name in FLOATS:
        yield Case([x, None, down], {"mode": "linear", "antialias": 1}, label="antialias", prefer="reference")
        yield Case([x, None, down], {"mode": "cubic", "antialias": 1}, label="antialias_cubic", prefer="reference")
        yield Case([x, None, None, form.ints(8, 9)], {"mode": "linear", "axes": [2, 3], "keep_aspect_ratio_policy": "not_larger"}, label="not_larger",
                   prefer="reference")
        yield Case([x, None, None, form.ints(8, 9)], {"mode": "linear", "axes": [2, 3], "keep_aspect_ratio_policy": "not_smaller"},
                   label="not_smaller", prefer="reference")
        yield Case([x, None, np.array([0.5, 2], f)], {"mode": "linear", "axes": [3, 2]}, label="axes", prefer="reference")
    if form.version >= 19 and name in FLOATS:
        yield Case([x, None, down], {"mode": "linear", "coordinate_transformation_mode": "half_pixel_symmetric"}, label="symmetric",
                   prefer="reference")
