"""Recipes of operators that move elements; see operator_cases.py."""
import numpy as np

from operator_forms import Case, recipe


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
