"""Recipes of convolutions, pools, normalisations, recurrent layers, attention, quantisation and signals; see operator_cases.py."""
import ml_dtypes
import numpy as np
import onnx
from onnx import helper

from operator_cases import FLOATS, SMALL_FLOATS, TYPES, Case, code, recipe


def floats(form, variable, *shape, low=-2.0, high=2.0):
    return form.values(variable, *shape, low=low, high=high)


@recipe("Conv")
def conv(form):
    x, w, b = floats(form, "T", 1, 4, 5, 6), floats(form, "T", 4, 2, 3, 2, low=-1, high=1), floats(form, "T", 4)
    yield Case([x, w, b], {"group": 2, "pads": [1, 0, 1, 1], "strides": [2, 1], "dilations": [1, 2]})
    yield Case([x[:, :2], w], {"auto_pad": "SAME_UPPER", "kernel_shape": [3, 2], "strides": [2, 2]}, label="same_upper")
    yield Case([x[:, :2], w], {"auto_pad": "SAME_LOWER", "kernel_shape": [3, 2]}, label="same_lower")
    yield Case([x[:, :2, 0], w[:, :, 0]], label="one_axis")


@recipe("ConvTranspose")
def conv_transpose(form):
    x, w, b = floats(form, "T", 1, 4, 3, 3), floats(form, "T", 4, 2, 3, 2, low=-1, high=1), floats(form, "T", 4)
    yield Case([x, w, b], {"group": 2, "pads": [1, 0, 1, 1], "strides": [2, 2], "output_padding": [1, 0]}, prefer="onnxruntime")
    yield Case([x, w], {"strides": [2, 2], "output_shape": [6, 6]}, label="shape", prefer="onnxruntime")
    yield Case([x, w], {"dilations": [2, 1]}, label="dilated", prefer="onnxruntime")
    yield Case([x, w], {"auto_pad": "SAME_UPPER", "strides": [2, 2]}, label="same_upper", prefer="onnxruntime")


@recipe("DeformConv")
def deform(form):
    x, w, offset = floats(form, "T", 1, 2, 4, 4), floats(form, "T", 2, 2, 2, 2), floats(form, "T", 1, 8, 3, 3, low=-1, high=1)
    yield Case([x, w, offset], {"kernel_shape": [2, 2]})
    yield Case([x, w, offset, floats(form, "T", 2), floats(form, "T", 1, 4, 3, 3, low=0, high=1)], {"kernel_shape": [2, 2]}, label="masked")


POOLED = {"kernel_shape": [2, 3], "strides": [2, 2], "pads": [1, 0, 0, 1]}


@recipe("AveragePool", "MaxPool", "LpPool")
def pool(form):
    name, since = form.schema.name, form.version
    x = floats(form, "T", 1, 2, 5, 6)
    if name == "LpPool" and since == 1:
        yield Case([x], {**POOLED, "p": 3.0}, like=(2, [x], {**POOLED, "p": 3}))
        yield Case([x], {"kernel_shape": [2, 3]}, label="default", like=(2, [x], {"kernel_shape": [2, 3]}))
        return
    modern = {"AveragePool": 7, "MaxPool": 8, "LpPool": 2}[name]
    extra = {"p": 3} if name == "LpPool" else {}

    def made(label, attributes, outputs=1):
        like = (modern, [x], {**attributes, **extra}) if since < modern and outputs == 1 else None
        prefer = "onnxruntime"
        return Case([x], {**attributes, **extra}, outputs, label=label, like=like, prefer=prefer)

    yield made("plain", POOLED)
    yield made("same_upper", {"kernel_shape": [3, 3], "strides": [2, 2], "auto_pad": "SAME_UPPER"})
    yield made("same_lower", {"kernel_shape": [2, 2], "auto_pad": "SAME_LOWER"})
    yield made("valid", {"kernel_shape": [2, 2], "auto_pad": "VALID"})
    if since >= {"AveragePool": 10, "MaxPool": 10, "LpPool": 18}[name]:
        yield made("ceil", {"kernel_shape": [3, 3], "strides": [2, 2], "ceil_mode": 1})
        yield made("ceil_pads", {**POOLED, "kernel_shape": [3, 3], "ceil_mode": 1})
    if since >= {"AveragePool": 19, "MaxPool": 10, "LpPool": 18}[name]:
        yield made("dilated", {"kernel_shape": [2, 2], "dilations": [2, 3]})
    if name == "AveragePool" and since >= 7:
        yield made("count_pads", {**POOLED, "count_include_pad": 1})
        if since >= 10:
            yield made("count_ceil", {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [1, 1, 1, 1], "ceil_mode": 1, "count_include_pad": 1})
    if name == "MaxPool" and since >= 8:
        yield made("indices", POOLED, 2)
        yield made("columns", {**POOLED, "storage_order": 1}, 2)


@recipe("GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool")
def global_pool(form):
    x = floats(form, "T", 2, 3, 4, 2)
    if form.schema.name == "GlobalLpPool":
        for p in (1, 2, 3):
            want = (np.abs(x.astype(np.float64)) ** p).sum((2, 3), keepdims=True) ** (1 / p)
            yield Case([x], {"p": float(p) if form.version == 1 else p}, label=f"p{p}", want=[want.astype(x.dtype)])
    else:
        yield Case([x])


@recipe("MaxUnpool")
def unpool(form):
    x, index = floats(form, "T1", 1, 1, 2, 2), np.array([[[[5, 7], [13, 15]]]], np.int64)
    yield Case([x, index], {"kernel_shape": [2, 2], "strides": [2, 2]})


@recipe("MaxRoiPool")
def roi_pool(form):
    x = floats(form, "X" if "X" in form.types else "T", 2, 2, 6, 6)
    rois = np.array([[0, 0, 0, 4, 4], [1, 1, 2, 5, 5]], np.float32).astype(x.dtype)
    for label, scaled, attributes in (("plain", rois, {"pooled_shape": [2, 3]}),
                                      ("scaled", (rois * np.array([1, 2, 2, 2, 2], x.dtype)).astype(x.dtype), {"pooled_shape": [2, 2], "spatial_scale": 0.5})):
        yield Case([x, scaled], attributes, label=label, like=(1, [x, scaled], attributes) if form.version > 1 else None)


@recipe("RoiAlign")
def roi_align(form):
    x = floats(form, "T1", 2, 2, 6, 6)
    rois, batch = np.array([[0, 0, 4, 4], [1, 2, 5, 5.5]], np.float32).astype(x.dtype), np.array([0, 1], np.int64)
    base = {"output_height": 2, "output_width": 2}
    yield Case([x, rois, batch], base)
    yield Case([x, rois, batch], {**base, "sampling_ratio": 2, "spatial_scale": 0.7}, label="sampled")
    # ONNX Runtime and the schema's text differ on the maximum of samples; see RoiKernels.
    if form.version >= 16:
        yield Case([x, rois, batch], {**base, "sampling_ratio": 2, "coordinate_transformation_mode": "output_half_pixel"}, label="output_half_pixel")


@recipe("BatchNormalization")
def batch_normalization(form):
    x = floats(form, "T", 2, 3, 4)
    one, two = ("T1" if "T1" in form.types else "T"), ("T2" if "T2" in form.types else "U" if "U" in form.types else "T")
    s, b, m, v = floats(form, one, 3), floats(form, one, 3), floats(form, two, 3), floats(form, two, 3, low=0.5, high=2)
    extra = {"is_test": 1} if form.version < 7 else {}
    if form.version == 1:
        extra["consumed_inputs"] = [0, 0, 0, 1, 1]
    like = (15, [x, s, b, m, v], {"epsilon": 0.01}) if form.version < 9 else None
    yield Case([x, s, b, m, v], {"epsilon": 0.01, **extra}, like=like, prefer="onnxruntime")
    if form.version >= 14:
        yield Case([x, s, b, m, v], {"training_mode": 1, "momentum": 0.7}, 3, label="training", prefer="reference")
    if form.version < 9:
        s, b, m, v = (floats(form, "T", 3, 4, low=0.5) for _ in range(4))
        wide = [a.astype(np.float64) for a in (x, s, b, m, v)]
        want = ((wide[0] - wide[3]) / np.sqrt(wide[4] + 1e-5) * wide[1] + wide[2]).astype(x.dtype)
        shaped = [a if form.version >= 7 else a.reshape(-1) for a in (s, b, m, v)]
        if form.version >= 7:
            yield Case([x, *shaped], {"spatial": 0}, label="elementwise", want=[want])


@recipe("InstanceNormalization")
def instance(form):
    x, s, b = floats(form, "T", 2, 3, 4), floats(form, "T", 3), floats(form, "T", 3)
    yield Case([x, s, b], {"epsilon": 0.01}, like=(6, [x, s, b], {"epsilon": 0.01}) if form.version < 6 else None)


@recipe("LRN")
def lrn(form):
    x = floats(form, "T", 1, 5, 2, 3)
    yield Case([x], {"size": 3, "alpha": 0.1, "beta": 0.6, "bias": 1.5})
    yield Case([x], {"size": 4}, label="even", prefer="reference")


@recipe("LpNormalization")
def lp_normalization(form):
    x = floats(form, "T", 2, 3, 4)
    for p, axis in ((1, 1), (2, -1), (2, 0)):
        yield Case([x], {"p": p, "axis": axis}, label=f"{p}_{axis}".replace("-", "m"))


@recipe("LayerNormalization")
def layer_normalization(form):
    x = floats(form, "T", 2, 3, 4)
    if form.type("U") != "float":
        return
    s, b = floats(form, "T", 4), floats(form, "T", 4)
    yield Case([x, s, b], {"epsilon": 0.01}, 3, prefer="reference" if form.type("T") == "float" else None)
    yield Case([x, floats(form, "T", 3, 4)], {"axis": 1}, label="axis")
    yield Case([x, floats(form, "T", 1, 4), b], label="broadcast", prefer="reference")


@recipe("RMSNormalization", crossed=("T", "V"))
def rms(form):
    x, s = floats(form, "T", 2, 3, 4), floats(form, "V", 4)
    yield Case([x, s], {"epsilon": 0.01})
    yield Case([x, floats(form, "V", 3, 4)], {"axis": 1}, label="axis")


@recipe("GroupNormalization")
def group_normalization(form):
    x, size = floats(form, "T", 2, 6, 3), 3 if form.version == 18 else 6
    s, b = floats(form, "T", size), floats(form, "T", size)
    wide = x.astype(np.float64).reshape(2, 3, 2, 3)
    unit = (wide - wide.mean((2, 3), keepdims=True)) / np.sqrt(wide.var((2, 3), keepdims=True) + 0.01)
    if form.version == 18:
        want = unit * s.astype(np.float64)[:, None, None] + b.astype(np.float64)[:, None, None]
    else:
        want = unit.reshape(2, 6, 3) * s.astype(np.float64)[:, None] + b.astype(np.float64)[:, None]
    yield Case([x, s, b], {"num_groups": 3, "epsilon": 0.01}, want=[want.reshape(2, 6, 3).astype(x.dtype)])


@recipe("MeanVarianceNormalization")
def mvn(form):
    x = floats(form, "T", 2, 3, 4, 2)
    yield Case([x])
    yield Case([x], {"axes": [1, 2]}, label="axes")


@recipe("RNN", "GRU", "LSTM")
def recurrent(form):
    name, since = form.schema.name, form.version
    gates = {"RNN": 1, "GRU": 3, "LSTM": 4}[name]
    steps, batch, inputs, hidden = 3, 2, 4, 3

    def weights(directions):
        return (floats(form, "T", directions, gates * hidden, inputs, low=-0.5, high=0.5), floats(form, "T", directions, gates * hidden, hidden, low=-0.5, high=0.5),
                floats(form, "T", directions, 2 * gates * hidden, low=-0.5, high=0.5), floats(form, "T", directions, batch, hidden))

    x, lengths = floats(form, "T", steps, batch, inputs), np.array([3, 2], np.int32)
    outputs = 3 if name == "LSTM" else 2
    # The oldest versions tell whether the sequence output is wanted.
    old = {"output_sequence": 1} if since < 7 else {}

    def made(label, given, attributes, flags=None):
        attributes = {"hidden_size": hidden, **attributes}
        like = (14, given, attributes) if since < 7 else None
        return Case(given, {**attributes, **old}, flags or outputs, label=label, like=like, prefer="onnxruntime")

    w, r, b, h = weights(1)
    yield made("plain", [x, w, r], {})
    yield made("bias", [x, w, r, b, None, h], {})
    yield made("reverse", [x, w, r, b, lengths, h], {"direction": "reverse"})
    w2, r2, b2, h2 = weights(2)
    yield made("both", [x, w2, r2, b2, lengths, h2], {"direction": "bidirectional"})
    yield made("clip", [x, w, r, b], {"clip": 0.4})
    activations = {"RNN": ["Relu"], "GRU": ["HardSigmoid", "Softsign"], "LSTM": ["HardSigmoid", "Elu", "Tanh"]}[name]
    yield made("activations", [x, w, r, b], {"activations": activations, "activation_alpha": [0.3, 0.8][:len(activations) - (name == "RNN")] or [0.5],
                                             "activation_beta": [0.4]})
    if name == "GRU" and since >= 3:
        yield made("linear", [x, w, r, b], {"linear_before_reset": 1})
    if name == "LSTM":
        c, p = floats(form, "T", 1, batch, hidden), floats(form, "T", 1, 3 * hidden, low=-0.5, high=0.5)
        yield made("peepholes", [x, w, r, b, None, h, c, p], {})
        yield made("coupled", [x, w, r, b], {"input_forget": 1})
    if since >= 14:
        yield Case([x.transpose(1, 0, 2).copy(), w, r, b], {"hidden_size": hidden, "layout": 1}, outputs, label="layout", prefer="reference")


@recipe("Attention", crossed=("T1", "T2"), fixed=())
def attention(form):
    one, two = form.type("T1"), form.type("T2")
    mask_type = form.type("U")
    q, k, v = floats(form, "T1", 2, 2, 3, 4), floats(form, "T1", 2, 2, 5, 4), floats(form, "T2", 2, 2, 5, 4)
    if one == two:
        yield Case([q, k, v], label="plain")
        yield Case([q, k, v], {"is_causal": 1, "scale": 0.3, "softcap": 2.0}, label="causal", prefer="reference")
        three = [a.transpose(0, 2, 1, 3).reshape(2, a.shape[2], 8).copy() for a in (q, k, v)]
        yield Case(three, {"q_num_heads": 2, "kv_num_heads": 2}, label="three_axes")
        past = [floats(form, "T1", 2, 2, 2, 4), floats(form, "T2", 2, 2, 2, 4)]
        mask = floats(form, "T1", 3, 7)
        if mask_type == "float" and one == "float":
            yield Case([q, k, v, mask, *past], None, 4, label="past", prefer="reference")
            for mode in (1, 2, 3):
                yield Case([q, k, v, mask, *past], {"qk_matmul_output_mode": mode, "softcap": 3.0, "is_causal": 1}, 4, label=f"mode{mode}", prefer="reference")
            yield Case([floats(form, "T1", 2, 4, 3, 4), k, v], label="grouped", prefer="reference")
            if form.version >= 24:
                yield Case([q, k, v, None, None, None, np.array([5, 3], np.int64)], label="nonpad", prefer="reference")
                yield Case([q, k, v, None, None, None, np.array([5, 3], np.int64)], {"is_causal": 1}, label="nonpad_causal", prefer="reference")
            if form.version >= 25:
                yield Case([q, k, v], {"left_window_size": 1, "right_window_size": 1}, label="window", prefer="reference")
                yield Case([q, k, v, mask[:, :5].copy()], {"left_window_size": 2, "is_causal": 1}, label="left_window", prefer="reference")
        if one == "float" and mask_type != "float":
            mask = np.array([[1, 0, 1, 1, 0], [1, 1, 1, 0, 0], [0, 0, 1, 1, 1]]).astype(form.dtype("U")) if mask_type not in FLOATS else floats(form, "U", 3, 5)
            yield Case([q, k, v, mask], label="mask", widen=mask_type in FLOATS, prefer="reference")
    else:
        yield Case([q, k, v], label="mixed")


@recipe("RotaryEmbedding")
def rotary(form):
    x, angles = floats(form, "T", 2, 3, 4, 8), form.rng.uniform(-3, 3, (10, 4))
    cos, sin = (f(angles).astype(np.float32).astype(x.dtype) for f in (np.cos, np.sin))
    positions = form.rng.integers(0, 10, (2, 4))
    yield Case([x, cos, sin, positions], prefer="reference")
    yield Case([x, cos, sin, positions], {"interleaved": 1}, label="interleaved", prefer="reference")
    yield Case([x, cos[:, :2].copy(), sin[:, :2].copy(), positions], {"rotary_embedding_dim": 4}, label="partial", prefer="reference")
    flat = x.transpose(0, 2, 1, 3).reshape(2, 4, 24).copy()
    yield Case([flat, cos[positions], sin[positions]], {"num_heads": 3}, label="flat", prefer="reference")


@recipe("LinearAttention", crossed=("T", "S"))
def linear_attention(form):
    if form.type("T") != form.type("S"):
        return
    q, k = (floats(form, "T", 2, 3, 8, low=-0.7, high=0.7) for _ in range(2))
    v, state = floats(form, "T", 2, 3, 8), floats(form, "S", 2, 2, 4, 4)
    decay, beta = floats(form, "T", 2, 3, 2, low=-1, high=0), floats(form, "T", 2, 3, 2, low=0, high=1)
    heads = {"q_num_heads": 2, "kv_num_heads": 2}
    for rule, tail in (("linear", []), ("gated", [decay]), ("delta", [None, beta]), ("gated_delta", [decay, beta])):
        yield Case([q, k, v, state, *tail], {**heads, "update_rule": rule}, 2, label=rule)


@recipe("CausalConvWithState")
def causal_conv(form):
    x, w, b, state = floats(form, "T", 2, 3, 5), floats(form, "T", 3, 1, 3), floats(form, "T", 3), floats(form, "T", 2, 3, 2)
    yield Case([x, w], outputs=2, label="plain")
    yield Case([x, w, b, state], {"activation": "silu"}, 2, label="silu")


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


@recipe("GridSample")
def grid_sample(form):
    name = form.type("T1")
    x, grid = form.values("T1", 1, 1, 3, 4), floats(form, "T2", 1, 2, 3, 2, low=-1.2, high=1.2)
    modes = ("bilinear", "nearest", "bicubic") if form.version == 16 else ("linear", "nearest", "cubic")
    if name not in FLOATS:
        want = x[:, :, [[0], [2]], [[0, 3]]]
        corners = np.array([[[[-0.7, -0.7], [0.8, -0.7]], [[-0.7, 0.8], [0.8, 0.8]]]], np.float32).astype(form.dtype("T2"))
        yield Case([x, corners], {"mode": "nearest"}, want=[np.ascontiguousarray(want)])
        return
    for mode in modes:
        for padding in ("zeros", "border", "reflection"):
            for corners in (0, 1):
                attributes = {"mode": mode, "padding_mode": padding, "align_corners": corners}
                modern = {"bicubic": "cubic", "bilinear": "linear"}.get(mode)
                # ONNX Runtime reads outside the border with cubic weights, the reference clamps the place first.
                yield Case([x, grid], attributes, label=f"{mode}_{padding}_{corners}", like=(20, [x, grid], {**attributes, "mode": modern}) if modern else None,
                           prefer="reference" if (padding, mode[-5:]) == ("border", "cubic") else None)


@recipe("AffineGrid")
def affine_grid(form):
    theta = floats(form, "T1", 2, 2, 3)
    for corners in (0, 1):
        yield Case([theta, form.ints(2, 1, 3, 4)], {"align_corners": corners}, label=str(corners))
    yield Case([floats(form, "T1", 1, 3, 4), form.ints(1, 1, 2, 3, 2)], label="volume")


@recipe("NonMaxSuppression")
def nms(form):
    corners = form.rng.uniform(0, 1, (1, 8, 2))
    boxes = np.concatenate([corners, corners + form.rng.uniform(0.1, 0.8, (1, 8, 2))], -1).astype(np.float32)
    scores = form.rng.uniform(0, 1, (1, 2, 8)).astype(np.float32)
    tail = [np.array([4], np.int64), np.array([0.3], np.float32), np.array([0.2], np.float32)]
    yield Case([boxes, scores, *tail])
    yield Case([boxes, scores, *tail], {"center_point_box": 1}, label="centres")


@recipe("Det")
def det(form):
    yield Case([floats(form, "T", 2, 3, 3)])


@recipe("NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss")
def losses(form):
    x, target, weight = floats(form, "T", 3, 4), np.array([1, 3, 0], form.dtype("Tind")), floats(form, "T", 4, low=0.2, high=1)
    outputs = 2 if form.schema.name.startswith("Soft") else 1
    for reduction in ("none", "mean", "sum"):
        yield Case([x, target], {"reduction": reduction}, outputs, label=reduction, prefer="reference")
        yield Case([x, target, weight], {"reduction": reduction, "ignore_index": 3}, outputs, label=f"{reduction}_weights", prefer="reference")
    yield Case([floats(form, "T", 2, 4, 3), np.array([[0, 1, 2], [3, 3, 0]], form.dtype("Tind"))], label="wide", prefer="reference")


@recipe("FlexAttention", domain="ai.onnx.preview")
def flex(form):
    q, k, v = floats(form, "T1", 1, 4, 3, 4), floats(form, "T1", 1, 2, 5, 4), floats(form, "T1", 1, 2, 5, 4)
    yield Case([q[:, :2].copy(), k, v])
    yield Case([q, k, v], {"scale": 0.3}, label="grouped")


assert helper
