"""Recipes of operators that move elements; see operator_cases.py."""
import numpy as np
from onnx import helper, numpy_helper

from operator_cases import FLOATS, TYPES, Case, code, recipe


def tensor(form, variable, *shape):
    return form.values(variable, *shape)


@recipe("Identity")
def identity(form):
    from operator_sequences import wrapped
    yield Case([wrapped(form, form.types.get("V", form.types.get("T")))], want=[wrapped(form, form.types.get("V", form.types.get("T")), again=True)])


@recipe("Shape")
def shape(form):
    x = form.values("T", 2, 3, 4)
    yield Case([x], want=[form.ints(2, 3, 4)])
    if form.version >= 15:
        yield Case([x], {"start": -2}, label="start", want=[form.ints(3, 4)])
        yield Case([x], {"start": 0, "end": -1}, label="end", want=[form.ints(2, 3)])


@recipe("Size")
def size(form):
    yield Case([form.values("T", 2, 3)], want=[np.array(6, np.int64)])


@recipe("Reshape")
def reshape(form):
    x = form.values("T", 2, 3, 4)
    for label, to in (("plain", [4, 6]), ("rest", [-1, 3]), ("keep", [0, 12])):
        want = [x.reshape({"plain": (4, 6), "rest": (8, 3), "keep": (2, 12)}[label])]
        yield Case([x] if form.version < 5 else [x, form.ints(*to)], {"shape": to} if form.version < 5 else {}, label=label, want=want)
    if form.version >= 14:
        empty = form.values("T", 0, 3)
        yield Case([empty, form.ints(3, 0)], {"allowzero": 1}, label="allowzero", want=[empty.reshape(3, 0)])


@recipe("Flatten")
def flatten(form):
    x = form.values("T", 2, 3, 4)
    for axis, to in ((0, (1, 24)), (1, (2, 12)), (2, (6, 4)), (3, (24, 1)), (-1, (6, 4))):
        if axis >= 0 or form.version >= 11:
            yield Case([x], {"axis": axis}, label=str(axis).replace("-", "m"), want=[x.reshape(to)])


@recipe("Squeeze", "Unsqueeze")
def squeeze(form):
    squeezes = form.schema.name == "Squeeze"
    x = form.values("T", *((1, 3, 1, 2) if squeezes else (3, 2)))
    for label, axes, to in ((("one", [0], (3, 1, 2)), ("two", [0, 2], (3, 2)), ("negative", [-2], (1, 3, 2))) if squeezes else
                            (("one", [0], (1, 3, 2)), ("two", [0, 3], (1, 3, 2, 1)), ("negative", [-1], (3, 2, 1)))):
        if label == "negative" and form.version < 11:
            continue
        by_input = form.version >= 13
        yield Case([x, form.ints(*axes)] if by_input else [x], {} if by_input else {"axes": axes}, label=label, want=[x.reshape(to)])
    if squeezes:
        yield Case([x], label="all", want=[x.reshape(3, 2)])


@recipe("Transpose")
def transpose(form):
    x = form.values("T", 2, 3, 4)
    yield Case([x], want=[np.ascontiguousarray(x.T)])
    yield Case([x], {"perm": [1, 0, 2]}, label="perm", want=[np.ascontiguousarray(x.transpose(1, 0, 2))])


@recipe("Concat")
def concat(form):
    x, y = form.values("T", 2, 3), form.values("T", 2, 1)
    yield Case([x, y], {"axis": 1}, want=[np.concatenate([x, y], 1)])
    if form.version == 1:
        yield Case([x, y], label="default", want=[np.concatenate([x, y], 1)])
    if form.version >= 11:
        yield Case([x, x], {"axis": -2}, label="negative", want=[np.concatenate([x, x], 0)])


@recipe("Split")
def split(form):
    x = form.values("T", 2, 6)
    parts = [x[:, :1], x[:, 1:3], x[:, 3:]]
    if form.version == 1:
        yield Case([x, np.array([1, 2, 3]).astype(form.dtype("T"))], {"axis": 1}, 3, label="input",
                   want=parts) if form.type("T") in ("float", "double", "float16") else Case([x], {"axis": 1, "split": [1, 2, 3]}, 3, want=parts)
    if form.version < 13:
        yield Case([x], {"axis": 1, "split": [1, 2, 3]}, 3, label="sizes", want=parts)
    else:
        yield Case([x, form.ints(1, 2, 3)], {"axis": 1}, 3, label="sizes", want=parts)
    even = {"num_outputs": 2} if form.version >= 18 else {}
    yield Case([x], {"axis": 1, **even}, 2, label="even", want=[x[:, :3], x[:, 3:]])
    if form.version >= 18:
        yield Case([x], {"axis": -1, "num_outputs": 4}, 4, label="uneven", want=[x[:, :2], x[:, 2:4], x[:, 4:], x[:, 6:]])


@recipe("Slice")
def slice_(form):
    x = form.values("T", 4, 5)
    forms = [("plain", [1, 0], [3, 4], [0, 1], None, x[1:3, :4]), ("ends", [0, -3], [1000, -1], [0, 1], None, x[:, -3:-1]),
             ("no_axes", [1], [3], None, None, x[1:3]), ("empty", [3], [1], [0], None, x[3:1])]
    if form.version >= 10:
        forms += [("steps", [0, 4], [4, -1000], [0, 1], [2, -2], x[::2, ::-2]), ("negative", [-1], [-9], [-1], [-1], x[:, ::-1])]
    for label, starts, ends, axes, steps, want in forms:
        want = [np.ascontiguousarray(want)]
        if form.version == 1:
            yield Case([x], {"starts": starts, "ends": ends, **({"axes": axes} if axes else {})}, label=label, want=want)
        else:
            given = [np.array(v, form.dtype("Tind")) if v is not None else None for v in (starts, ends, axes, steps)]
            yield Case([x, *(given if steps else given[:3] if axes else given[:2])], label=label, want=want)


@recipe("Gather")
def gather(form):
    x = form.values("T", 4, 3)
    index = np.array([[0, 2], [3, 1]], form.dtype("Tind"))
    yield Case([x, index], want=[np.take(x, index, 0)])
    yield Case([x, index[:1] % 3], {"axis": 1}, label="axis", want=[np.take(x, index[:1] % 3, 1)])
    yield Case([x, np.array(1, form.dtype("Tind"))], label="scalar", want=[x[1]])
    if form.version >= 11:
        yield Case([x, index - 4], label="negative", want=[np.take(x, index, 0)])


@recipe("GatherElements")
def gather_elements(form):
    x, index = form.values("T", 3, 4), form.rng.integers(-3, 3, (2, 4)).astype(form.dtype("Tind"))
    yield Case([x, index], want=[np.take_along_axis(x, index % 3, 0)])
    index = form.rng.integers(0, 4, (3, 2)).astype(form.dtype("Tind"))
    yield Case([x, index], {"axis": -1}, label="axis", want=[np.take_along_axis(x, index, 1)])


@recipe("GatherND")
def gather_nd(form):
    x = form.values("T", 2, 3, 4)
    yield Case([x, form.ints(1, 2)], label="row", want=[x[1, 2]])
    yield Case([x, np.array([[0, 1, 2], [1, -1, -4]])], label="elements", want=[np.array([x[0, 1, 2], x[1, 2, 0]], x.dtype)])
    if form.version >= 12:
        yield Case([x, np.array([[2], [0]])], {"batch_dims": 1}, label="batch", want=[np.stack([x[0, 2], x[1, 0]])])


@recipe("Scatter", "ScatterElements")
def scatter(form):
    x, updates = form.values("T", 3, 4), form.values("T", 2, 4)
    index = np.stack([form.rng.permutation(3)[:2] for _ in range(4)], 1).astype(form.dtype("Tind"))
    want = x.copy()
    np.put_along_axis(want, index, updates, 0)
    yield Case([x, index, updates], want=[want])
    columns = np.array([[3, 1], [0, 2], [1, 0]], form.dtype("Tind"))
    want = x.copy()
    np.put_along_axis(want, columns, updates[:, :3].T.copy(), 1)
    yield Case([x, columns, updates[:, :3].T.copy()], {"axis": 1}, label="axis", want=[want])
    yield from reductions(form, x, columns, updates[:, :3].T.copy(), {"axis": 1})


def reductions(form, x, indices, updates, attributes):
    if form.version < 16 or form.schema.name == "Scatter" or form.type("T") in ("string", "complex64", "complex128"):
        return
    repeated = indices.copy()
    repeated[0] = repeated[1]
    for reduction in ("add", "mul") if form.version < 18 else ("add", "mul", "max", "min"):
        if form.type("T") != "bool" or reduction in ("max", "min"):
            yield Case([x, repeated, updates], {"reduction": reduction, **attributes}, label=reduction, prefer="reference")


@recipe("ScatterND")
def scatter_nd(form):
    x, updates = form.values("T", 4, 3), form.values("T", 2, 3)
    want = x.copy()
    want[[2, 0]] = updates
    yield Case([x, np.array([[2], [0]]), updates], want=[want])
    want = x.copy()
    want[[1, 3], [2, 0]] = updates[0, :2]
    yield Case([x, np.array([[1, 2], [-1, -3]]), updates[0, :2].copy()], label="elements", want=[want])
    yield from reductions(form, x, np.array([[2], [0]]), updates, {})


@recipe("Expand")
def expand(form):
    x = form.values("T", 3, 1)
    yield Case([x, form.ints(2, 1, 4)], want=[np.broadcast_to(x, (2, 3, 4)).copy()])
    yield Case([x, form.ints(1)], label="same", want=[x])


@recipe("Tile")
def tile(form):
    x = form.values("T", 2, 3)
    if form.version == 1:
        tiles, axis = (np.asarray(v).astype(form.dtype("T")) if form.type("T") not in ("string", "bool") else None for v in (2, 1))
        if tiles is not None:
            yield Case([x, tiles, axis], want=[np.tile(x, (1, 2))])
        return
    yield Case([x, form.ints(2, 3)], want=[np.tile(x, (2, 3))])
    yield Case([x, form.ints(1, 0)], label="nothing", want=[np.tile(x, (1, 0))])


@recipe("Pad")
def pad(form):
    x = form.values("T", 3, 4)
    value = form.values("T")
    zero = np.array("" if form.type("T") == "string" else 0, object if form.type("T") == "string" else np.float32).astype(form.dtype("T"))
    width, pairs = [1, 0, 2, 3], ((1, 2), (0, 3))
    no_zero = form.type("T") == "float8e8m0"
    modes = ["constant", "reflect", "edge"] + (["wrap"] if form.version >= 19 else [])
    for mode in modes:
        if mode == "constant" and no_zero:
            continue
        want = [padded(x, pairs, mode, zero)]
        if form.version < 11:
            yield Case([x], {"mode": mode, "paddings" if form.version == 1 else "pads": width}, label=mode, want=want)
        else:
            yield Case([x, form.ints(*width)], {"mode": mode}, label=mode, want=want)
    if form.version < 11:
        name = "paddings" if form.version == 1 else "pads"
        yield Case([x], {name: width, "value": 1.5}, label="value", want=[padded(x, pairs, "constant", np.float32(1.5).astype(x.dtype))])
    else:
        yield Case([x, form.ints(*width), value], label="value", want=[padded(x, pairs, "constant", value)])
    if form.version >= 2 and not no_zero:
        pads = [0, -1, 1, 2]
        want = [padded(x[:, 1:], ((0, 1), (0, 2)), "constant", zero)]
        yield Case([x] if form.version < 11 else [x, form.ints(*pads)], {"pads": pads} if form.version < 11 else {}, label="crop", want=want)
    if form.version >= 18:
        yield Case([x, form.ints(1, 2), value, np.array([-1], form.dtype("Tind"))], label="axes", want=[padded(x, ((0, 0), (1, 2)), "constant", value)])


def padded(x, pairs, mode, value):
    rows = np.pad(np.arange(x.shape[0]), pairs[0], mode, **({"constant_values": -1} if mode == "constant" else {}))
    columns = np.pad(np.arange(x.shape[1]), pairs[1], mode, **({"constant_values": -1} if mode == "constant" else {}))
    result = np.empty((len(rows), len(columns)), x.dtype)
    for i, r in enumerate(rows):
        for j, c in enumerate(columns):
            result[i, j] = value[()] if r < 0 or c < 0 else x[r, c]
    return result


@recipe("Where")
def where(form):
    x, y, condition = form.values("T", 2, 3), form.values("T", 3), np.array([[True], [False]])
    yield Case([condition, x, y], want=[np.where(condition, x, y)])


@recipe("Compress")
def compress(form):
    x = form.values("T", 3, 4)
    yield Case([x, np.array([True, False, True])], {"axis": 0}, label="axis", want=[x[[0, 2]]])
    yield Case([x, np.array([False, True, False, False, True])], label="flat", want=[x.reshape(-1)[[1, 4]]])
    if form.version >= 11:
        yield Case([x, np.array([False, True])], {"axis": -1}, label="negative", want=[x[:, [1]]])


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


@recipe("ReverseSequence")
def reverse_sequence(form):
    x = form.values("T", 4, 3)
    want = x.copy()
    for column, length in enumerate((1, 3, 4)):
        want[:length, column] = x[:length, column][::-1]
    yield Case([x, form.ints(1, 3, 4)], want=[want])
    yield Case([x.T.copy(), form.ints(1, 3, 4)], {"batch_axis": 0, "time_axis": 1}, label="axes", want=[np.ascontiguousarray(want.T)])


@recipe("DepthToSpace", "SpaceToDepth")
def depth_to_space(form):
    shape = (1, 8, 2, 3) if form.schema.name == "DepthToSpace" else (1, 2, 4, 6)
    x = form.values("T", *shape)
    modes = ["DCR", "CRD"] if form.version >= (11 if form.schema.name == "DepthToSpace" else 28) else [None]
    for mode in modes:
        if form.schema.name == "DepthToSpace":
            parts = x.reshape(1, 2, 2, 2, 2, 3).transpose(0, 3, 4, 1, 5, 2) if mode != "CRD" else x.reshape(1, 2, 2, 2, 2, 3).transpose(0, 1, 4, 2, 5, 3)
            want = parts.reshape(1, 2, 4, 6)
        else:
            parts = x.reshape(1, 2, 2, 2, 3, 2)
            want = (parts.transpose(0, 3, 5, 1, 2, 4) if mode != "CRD" else parts.transpose(0, 1, 3, 5, 2, 4)).reshape(1, 8, 2, 3)
        yield Case([x], {"blocksize": 2, **({"mode": mode} if mode else {})}, label=mode or "", want=[np.ascontiguousarray(want)])


@recipe("Trilu")
def trilu(form):
    x = form.values("T", 2, 3, 4)
    zero = np.zeros((), x.dtype) if form.type("T") != "string" else ""
    rows, columns = np.indices((3, 4))
    yield Case([x], want=[np.where(columns >= rows, x, zero).astype(x.dtype)])
    yield Case([x, np.array(-1, np.int64)], {"upper": 0}, label="lower", want=[np.where(columns <= rows - 1, x, zero).astype(x.dtype)])


@recipe("CenterCropPad")
def center(form):
    x = form.values("T", 4, 3)
    zero = np.zeros((), x.dtype) if form.type("T") != "string" else np.array("", object)
    yield Case([x, np.array([2, 6], form.dtype("Tind"))], want=[padded(x[1:3], ((0, 0), (1, 2)), "constant", zero)])
    yield Case([x, np.array([7], form.dtype("Tind"))], {"axes": [-1]}, label="axes", want=[padded(x, ((0, 0), (2, 2)), "constant", zero)])


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


@recipe("TensorScatter")
def tensor_scatter(form):
    cache, update = form.values("T", 2, 4, 3), form.values("T", 2, 2, 3)
    for label, attributes, places in (("linear", {}, (1, 2)), ("circular", {"mode": "circular"}, (3, 2))):
        want = cache.copy()
        for row, start in enumerate(places):
            for step in range(2):
                want[row, (start + step) % 4] = update[row, step]
        yield Case([cache, update, form.ints(*places)], attributes, label=label, want=[want])
    want = cache.copy()
    want[:, :2] = update
    yield Case([cache, update], label="start", want=[want])


@recipe("Col2Im")
def col_to_im(form):
    if form.type("T") in ("string", "bool"):
        return
    x = form.values("T", 1, 8, 4, high=2)
    want = np.zeros((1, 2, 3, 3), x.dtype)
    parts = x.reshape(2, 2, 2, 2, 2)
    for i in range(2):
        for j in range(2):
            want[0, :, i:i + 2, j:j + 2] += parts[:, i, j]
    yield Case([x, form.ints(3, 3), form.ints(2, 2)], want=[want])


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


assert TYPES
