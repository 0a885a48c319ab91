"""Recipes of quantisation, signals and losses; see operator_cases.py."""
import ml_dtypes
import numpy as np
import onnx

from operator_forms import FLOATS, SMALL_FLOATS, TYPES, Case, code, recipe
from operator_layers import floats


@recipe("ConvInteger", crossed=("T1", "T2"))
def conv_integer(form):
    x, w = form.values("T1", 1, 2, 4, 4, low=-100, high=100), form.values("T2", 3, 2, 2, 2, low=-100, high=100)
    zero_x, zero_w = np.array(3, form.dtype("T1")), np.array(5, form.dtype("T2"))
    yield Case([x, w, zero_x], {"pads": [1, 1, 1, 1]}, prefer="reference")
    yield Case([x, w, zero_x, zero_w], label="weights", prefer="reference")


@recipe("MatMulInteger", crossed=("T1", "T2"))
def matmul_integer(form):
    a, b = form.values("T1", 2, 3, low=-100, high=100), form.values("T2", 3, 4, low=-100, high=100)
    yield Case([a, b], prefer="reference")
    yield Case([a, b, np.array(3, form.dtype("T1")), np.array([1, 2, 3, 4], form.dtype("T2"))], label="zeros", prefer="reference")


def nearest(x, name):
    info = np.iinfo(TYPES[name])
    return np.clip(np.rint(x), info.min, info.max).astype(TYPES[name])


@recipe("QLinearConv", crossed=("T1", "T2", "T3"))
def qlinear_conv(form):
    f = np.float32
    x, w = form.values("T1", 1, 2, 3, 3, low=-100, high=100), form.values("T2", 2, 2, 2, 2, low=-100, high=100)
    zx, zw, zy = np.array(3, form.dtype("T1")), np.array([0, 0], form.dtype("T2")), np.array(7, form.dtype("T3"))
    sw, bias = f([0.02, 0.03]), np.array([40, -20], np.int32)
    real = np.zeros((1, 2, 2, 2))
    for i in range(2):
        for j in range(2):
            real[:, :, i, j] = np.einsum("bchw,ochw->bo", x[:, :, i:i + 2, j:j + 2].astype(int) - 3, w.astype(int)) + bias
    want = nearest(real * (f(0.05) * sw)[None, :, None, None] / f(2) + 7, form.type("T3"))
    yield Case([x, f(0.05).reshape(()), zx, w, sw, zw, f(2).reshape(()), zy, bias], want=[want], int_tolerance=1)


@recipe("QLinearMatMul", crossed=("T1", "T2", "T3"))
def qlinear_matmul(form):
    names = [form.type(v) for v in ("T1", "T2", "T3")]
    if form.version == 21 and any(n in SMALL_FLOATS for n in names):
        if len(set(names)) > 1:
            return
        a, b = (form.values(v, 2, 2, low=-3, high=3) for v in ("T1", "T2"))
        zero = np.zeros((), TYPES[names[0]])
        real = a.astype(np.float64) @ b.astype(np.float64) * 0.5 * 0.25 / 0.5
        yield Case([a, np.float32(0.5).reshape(()), zero, b, np.float32(0.25).reshape(()), zero, np.float32(0.5).reshape(()), zero],
                   want=[real.astype(np.float32).astype(TYPES[names[0]])])
        return
    scale = form.dtype("TS") if "TS" in form.types else np.float32
    a, b = form.values("T1", 2, 3, low=-100, high=100), form.values("T2", 3, 2, low=-100, high=100)
    zeros = [np.array(z, TYPES[n]) for z, n in zip((3, 5, 7), names)]
    sa, sb, sy = (np.asarray(s, np.float32).astype(scale) for s in (0.5, 0.25, 8.0))
    real = (a.astype(int) - 3) @ (b.astype(int) - 5) * 0.5 * 0.25 / 8 + 7
    yield Case([a, sa, zeros[0], b, sb, zeros[1], sy, zeros[2]], want=[nearest(real, names[2])], int_tolerance=1)


@recipe("QuantizeLinear", crossed=("T1", "T2", "T3"))
def quantize(form):
    target = form.type("T3" if "T3" in form.types else "T2")
    source, scale_type = form.type("T1"), form.type("T2") if "T3" in form.types else "float"
    if form.version >= 23 and (source not in ("float", "float16") and scale_type != source or scale_type != "float" and source != scale_type and scale_type != "float8e8m0"):
        return
    if scale_type == "int32" and source != "int32":
        return
    wide = form.rng.uniform(-9, 9, (3, 4)) if source != "int32" else form.rng.integers(-9, 9, (3, 4))
    x = np.asarray(wide).astype(np.float32).astype(TYPES[source])
    scale = np.asarray(2, np.float32).astype(TYPES[scale_type])
    rows = np.array([1, 2, 4], np.float32).astype(TYPES[scale_type])
    zero = np.asarray(0 if target in FLOATS else 1, np.float32).astype(TYPES[target])
    yield Case([x, scale, zero], label="tensor", widen=False, want=quantized(x, scale, zero, target))
    if form.version >= 13:
        yield Case([x, rows, np.full(3, zero)], {"axis": 0}, label="axis", want=quantized(x, rows[:, None], zero, target))
    if form.version >= 21:
        blocks = np.array([[1, 2], [4, 1], [2, 2]], np.float32).astype(TYPES[scale_type])
        yield Case([x, blocks, np.full((3, 2), zero)], {"axis": 1, "block_size": 2}, label="block", want=quantized(x, blocks.repeat(2, 1), zero, target))
        plain_zero = np.asarray(0, np.float32).astype(TYPES[target])
        yield Case([x, scale], {"output_dtype": code(target)}, label="output_dtype", want=quantized(x, scale, plain_zero, target))
    if form.version >= 19 and target.startswith("float8") and target != "float8e8m0":
        big = (x.astype(np.float32) * 1e5).astype(TYPES[source]) if source == "float" else None
        if big is not None:
            yield Case([big, scale, zero], {"saturate": 0}, label="unsaturated", want=[(big / np.float32(2)).astype(TYPES[target])])
    if form.version >= 23 and source == "float" and target in ("uint8", "int8") and scale_type == "float":
        odd = np.float32(0.3).reshape(())
        half = (x.astype(np.float16) / odd.astype(np.float16)).astype(np.float64)
        yield Case([x, odd, zero], {"precision": onnx.TensorProto.FLOAT16}, label="precision", want=[nearest(np.rint(half) + 1, target)], int_tolerance=0)


def quantized(x, scale, zero, target):
    real = x.astype(np.float32) / scale.astype(np.float32)
    if target in SMALL_FLOATS:
        largest = float(ml_dtypes.finfo(TYPES[target]).max)
        return [np.clip(real, -largest, largest).astype(TYPES[target])]
    low, high = (float(getattr(ml_dtypes.iinfo(TYPES[target]), end)) for end in ("min", "max"))
    return [np.clip(np.rint(real) + zero.astype(np.float32), low, high).astype(np.int64).astype(TYPES[target])]


@recipe("DequantizeLinear", crossed=("T1", "T2", "T3"))
def dequantize(form):
    source = form.type("T1" if "T1" in form.types else "T")
    scale_type = form.type("T2") if "T2" in form.types else "float"
    result = form.type("T3") if "T3" in form.types else scale_type
    x = form.values("T1" if "T1" in form.types else "T", 3, 4, low=-6, high=6)
    scale = np.asarray(0.5, np.float32).astype(TYPES[scale_type])
    rows = np.array([0.5, 2, 0.25], np.float32).astype(TYPES[scale_type])
    extra = {"output_dtype": code(result)} if result != scale_type else {}
    zero = np.asarray(0 if source in FLOATS or source == "int32" else 1, np.float32).astype(TYPES[source])

    def real(scales):
        return [((x.astype(np.float64) - zero.astype(np.float64)) * scales.astype(np.float64)).astype(TYPES[result])]

    yield Case([x, scale, zero], extra, label="tensor", want=real(scale))
    if zero == 0:
        yield Case([x, scale], extra, label="no_zero", want=real(scale))
    if form.version >= 13:
        yield Case([x, rows, np.full(3, zero)], {"axis": 0, **extra}, label="axis", want=real(rows[:, None]))
    if form.version >= 21:
        blocks = np.array([[1, 2], [0.5, 1], [2, 2]], np.float32).astype(TYPES[scale_type])
        yield Case([x, blocks, np.full((3, 2), zero)], {"axis": 1, "block_size": 2, **extra}, label="block", want=real(blocks.repeat(2, 1)))


@recipe("DynamicQuantizeLinear")
def dynamic_quantize(form):
    yield Case([floats(form, "T1", 3, 4)], outputs=3)
    yield Case([np.array([1, 2, 3], np.float32)], outputs=3, label="positive")


@recipe("DFT")
def dft(form):
    x = floats(form, "T1", 2, 6, 1)
    axis = (lambda a: ([None, np.array(a, np.int64)], {})) if form.version >= 20 else (lambda a: ([None], {"axis": a}))
    for label, value, attributes in (("real", x, {}), ("onesided", x, {"onesided": 1}), ("complex", floats(form, "T1", 2, 5, 2), {}),
                                     ("inverse", floats(form, "T1", 2, 6, 2), {"inverse": 1})):
        tail, more = axis(1)
        yield Case([value, *tail], {**attributes, **more}, label=label, prefer="reference")
    yield Case([x, np.array(8, form.dtype("T2")), *axis(1)[0][1:]], axis(1)[1], label="padded", prefer="reference")
    yield Case([x, np.array(4, form.dtype("T2")), *axis(1)[0][1:]], axis(1)[1], label="cut", prefer="reference")


@recipe("STFT")
def stft(form):
    x, window = floats(form, "T1", 1, 16, 1), floats(form, "T1", 8, low=0, high=1)
    yield Case([x, np.array(4, form.dtype("T2")), window], prefer="reference")
    yield Case([x, np.array(3, form.dtype("T2")), None, np.array(6, form.dtype("T2"))], {"onesided": 0}, label="length", prefer="onnxruntime")


@recipe("HannWindow", "HammingWindow", "BlackmanWindow", crossed=("T1", "T2"))
def window(form):
    for periodic in (0, 1):
        yield Case([np.array(9, form.dtype("T1"))], {"periodic": periodic, "output_datatype": code(form.type("T2"))}, label=str(periodic), prefer="reference")


@recipe("MelWeightMatrix", crossed=("T1", "T3"))
def mel(form):
    bins, length, rate = (np.array(v, form.dtype("T1")) for v in (4, 16, 8000))
    low, high = (np.asarray(v, np.float32).astype(form.dtype("T2")) for v in (0, 4000))
    yield Case([bins, length, rate, low, high], {"output_datatype": code(form.type("T3"))}, prefer="reference")


@recipe("NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss")
def losses(form):
    x, target, weight = floats(form, "T", 3, 4), np.array([1, 3, 0], form.dtype("Tind")), floats(form, "T", 4, low=0.2, high=1)
    outputs = 2 if form.schema.name.startswith("Soft") else 1
    for reduction in ("none", "mean", "sum"):
        yield Case([x, target], {"reduction": reduction}, outputs, label=reduction, prefer="reference")
        yield Case([x, target, weight], {"reduction": reduction, "ignore_index": 3}, outputs, label=f"{reduction}_weights", prefer="reference")
    yield Case([floats(form, "T", 2, 4, 3), np.array([[0, 1, 2], [3, 3, 0]], form.dtype("Tind"))], label="wide", prefer="reference")
