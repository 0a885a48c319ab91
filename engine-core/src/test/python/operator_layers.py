"""Recipes of convolutions, pools, normalisations, recurrent layers and attention; see operator_cases.py."""
import numpy as np

from operator_forms import FLOATS, Case, recipe


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


@recipe("FlexAttention", domain="ai.onnx.preview")
def flex(form):
    q, k, v = floats(form, "T1", 1, 4, 3, 4), floats(form, "T1", 1, 2, 5, 4), floats(form, "T1", 1, 2, 5, 4)
    yield Case([q[:, :2].copy(), k, v])
    yield Case([q, k, v], {"scale": 0.3}, label="grouped")
