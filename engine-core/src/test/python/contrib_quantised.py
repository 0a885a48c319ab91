"""Cases of quantised com.microsoft operators."""
import numpy as np

def bytes_like(rng, kind, *shape):
    info = np.iinfo(kind)
    return rng.integers(info.min, info.max + 1, shape).astype(kind)


def cases(writer, rng):
    elementwise(writer, rng)
    pools(writer, rng)
    products(writer, rng)
    recurrent(writer, rng)


def elementwise(writer, rng):
    f = np.float32
    for kind, zeros in ((np.uint8, (120, 131, 128)), (np.int8, (-5, 3, 9))):
        name = np.dtype(kind).name
        for op in ("QLinearAdd", "QLinearMul"):
            for label, left, right in (
                ("same", (2, 3, 5), (2, 3, 5)), ("row", (2, 3, 5), (5,)), ("column", (3, 1), (2, 3, 5)), ("scalar", (4, 7), ())):
                a, b = bytes_like(rng, kind, *left), bytes_like(rng, kind, *right)
                writer.add(f"{op}_{name}_{label}", op, [
                    a, f(0.05), kind(zeros[0]), b, f(0.03), kind(zeros[1]), f(0.09), kind(zeros[2])], int_tolerance=1)
        x = bytes_like(rng, kind, 3, 4, 6)
        quantisation = [f(0.06), kind(zeros[0]), f(0.04), kind(zeros[1])]
        writer.add(f"QLinearSigmoid_{name}", "QLinearSigmoid", [x, *quantisation[:2], f(1 / 256), kind(zeros[2])],
                   constants=(1, 2, 3, 4), int_tolerance=1)
        writer.add(f"QLinearLeakyRelu_{name}", "QLinearLeakyRelu", [x, *quantisation], {"alpha": 0.3}, constants=(1, 2, 3, 4),
                   int_tolerance=1)
        writer.add(f"QLinearLeakyRelu_{name}_default", "QLinearLeakyRelu", [x, *quantisation], int_tolerance=1)
        softmax = [x, f(0.05), kind(zeros[0]), f(1 / 256), kind(-128 if kind == np.int8 else 0)]
        for axis, opset in ((-1, 13), (1, 13), (0, 13), (1, 11), (2, 12)):
            writer.add(f"QLinearSoftmax_{name}_{axis}_{opset}", "QLinearSoftmax", softmax, {"axis": axis, "opset": opset},
                       constants=(1, 2, 3, 4), int_tolerance=1)
        writer.add(f"QLinearWhere_{name}", "QLinearWhere", [
            rng.random((3, 1, 4)) < 0.5, bytes_like(rng, kind, 2, 4), *quantisation[:2], bytes_like(rng, kind, 3, 2, 4), f(0.02),
            kind(zeros[2]), f(0.05), kind(zeros[1])], constants=(2, 3, 5, 6, 7, 8), int_tolerance=1)
        parts = [bytes_like(rng, kind, 2, n, 3) for n in (1, 4, 2)]
        triples = [v for k, part in enumerate(parts) for v in (part, f(0.02 * (k + 1)), kind(zeros[k]))]
        for axis in (1, -2):
            writer.add(f"QLinearConcat_{name}_{axis}", "QLinearConcat", [f(0.04), kind(zeros[1]), *triples], {"axis": axis},
                       int_tolerance=1)


def pools(writer, rng):
    f = np.float32
    for kind, zero in ((np.uint8, 117), (np.int8, -7)):
        name = np.dtype(kind).name
        image = bytes_like(rng, kind, 2, 3, 7, 6)
        quantisation = [f(0.05), kind(zero), f(0.03), kind(zero + 9)]
        for last in (0, 1):
            writer.add(f"QLinearGlobalAveragePool_{name}_{last}", "QLinearGlobalAveragePool", [image, *quantisation],
                       {"channels_last": last}, int_tolerance=1)
            for label, attributes in (
                ("plain", {"kernel_shape": [3, 2]}),
                ("padded", {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1], "strides": [2, 2]}),
                ("counted", {"kernel_shape": [3, 3], "pads": [1, 0, 1, 1], "count_include_pad": 1}),
                ("ceil", {"kernel_shape": [2, 2], "strides": [2, 2], "ceil_mode": 1}),
                ("same", {"kernel_shape": [3, 3], "auto_pad": "SAME_UPPER", "strides": [2, 2]})):
                writer.add(f"QLinearAveragePool_{name}_{label}_{last}", "QLinearAveragePool", [image, *quantisation],
                           {**attributes, "channels_last": last}, int_tolerance=1)
        for axes, keep in (([1], 1), ([2, 3], 0)):
            mean = ((image.astype(f) - zero) * quantisation[0]).mean(tuple(axes), keepdims=bool(keep))
            info = np.iinfo(kind)
            want = np.clip(np.rint(mean / quantisation[2]) + zero + 9, info.min, info.max).astype(kind)
            writer.add(f"QLinearReduceMean_{name}_{len(axes)}", "QLinearReduceMean", [image, *quantisation],
                       {"axes": axes, "keepdims": keep}, want=[want], int_tolerance=1)


def products(writer, rng):
    f = np.float32
    m, k, n = 4, 9, 70
    for left, right in ((np.uint8, np.uint8), (np.uint8, np.int8), (np.int8, np.int8)):
        name = f"{np.dtype(left).name}_{np.dtype(right).name}"
        for label, ta, tb, extra, quantised in (
            ("plain", 0, 0, {}, True), ("transposed", 1, 1, {}, True), ("float", 0, 1, {"alpha": 0.5}, False)):
            a = bytes_like(rng, left, *((k, m) if ta else (m, k)))
            b = bytes_like(rng, right, *((n, k) if tb else (k, n)))
            c = rng.integers(-900, 900, n).astype(np.int32)
            inputs = [a, f(0.02), left(5), b, f(0.03), right(7), c if label != "transposed" else None]
            inputs += [f(0.1), left(4)] if quantised else []
            writer.add(f"QGemm_{name}_{label}", "QGemm", inputs, {"transA": ta, "transB": tb, **extra}, constants=(3, 4, 5),
                       int_tolerance=1)
        columns = (rng.random(n) * 0.02 + 0.01).astype(f)
        zeros = bytes_like(rng, right, n)
        a, b = bytes_like(rng, left, m, k), bytes_like(rng, right, k, n)
        writer.add(f"QGemm_{name}_columns", "QGemm", [a, f(0.02), left(5), b, columns, zeros, None, f(0.1), left(4)], constants=(3, 4, 5),
                   int_tolerance=1)
        stack = bytes_like(rng, left, 2, m, k)
        for label, tail in (
            ("plain", [f(0.02), f(0.03)]), ("zeros", [f(0.02), f(0.03), left(3), right(9)]),
            ("columns", [f(0.02), columns, left(3), zeros, rng.standard_normal(n).astype(f)])):
            writer.add(f"MatMulIntegerToFloat_{name}_{label}", "MatMulIntegerToFloat", [stack, b, *tail], constants=(1,), rtol=1e-3, atol=1e-4)
    x = rng.standard_normal((2, m, k)).astype(f)
    for kind in (np.uint8, np.int8):
        b = bytes_like(rng, kind, k, n)
        for label, tail in (
            ("plain", [f(0.03)]), ("zero", [f(0.03), kind(9)]), ("bias", [f(0.03), None, rng.standard_normal(n).astype(f)]),
            ("columns", [(rng.random(n) * 0.02).astype(f), bytes_like(rng, kind, n)])):
            writer.add(f"DynamicQuantizeMatMul_{np.dtype(kind).name}_{label}", "DynamicQuantizeMatMul", [x, b, *tail], constants=(1, 2, 3),
                       rtol=1e-3, atol=1e-3)
    image = bytes_like(rng, np.uint8, 1, 6, 5, 4)
    kernel = bytes_like(rng, np.int8, 3, 4, 3, 2)
    writer.add("QLinearConv_channels_last", "QLinearConv",
               [image, f(0.02), np.uint8(120), kernel, f(0.01), np.int8(0), f(0.05), np.uint8(128), rng.integers(-99, 99, 3).astype(np.int32)],
               {"channels_last": 1, "pads": [1, 0, 1, 1], "strides": [2, 1]}, constants=(1, 2, 3, 4, 5, 6, 7, 8), int_tolerance=1)
    for kind in (np.uint8, np.int8):
        writer.add(f"NhwcMaxPool_{np.dtype(kind).name}", "NhwcMaxPool", [bytes_like(rng, kind, 2, 7, 6, 5)],
                   {"kernel_shape": [3, 2], "strides": [2, 2], "pads": [1, 0, 1, 0]})


def recurrent(writer, rng):
    f = np.float32
    length, batch, inputs, hidden = 4, 1, 3, 5
    for kind in (np.uint8, np.int8):
        for direction, count in (("forward", 1), ("reverse", 1), ("bidirectional", 2)):
            for columns in (False, True):
                shape = (count, 4 * hidden) if columns else (count,)
                scales = [(rng.random(shape) * 0.003 + 0.001).astype(f) for _ in range(2)]
                # ONNX Runtime takes zero points of columns only where they are all the same, for int8 only 0.
                zeros = [np.full(shape, z if kind == np.int8 and not columns else 128 if kind == np.uint8 else 0).astype(kind) for z in (3, -4)]
                writer.add(f"DynamicQuantizeLSTM_{np.dtype(kind).name}_{direction}_{columns}", "DynamicQuantizeLSTM", [
                    rng.standard_normal((length, batch, inputs)).astype(f), bytes_like(rng, kind, count, inputs, 4 * hidden),
                    bytes_like(rng, kind, count, hidden, 4 * hidden), rng.standard_normal((count, 8 * hidden)).astype(f), None,
                    rng.standard_normal((count, batch, hidden)).astype(f), rng.standard_normal((count, batch, hidden)).astype(f), None,
                    scales[0], zeros[0], scales[1], zeros[1]], {"hidden_size": hidden, "direction": direction}, 3,
                    constants=(1, 2, 3, 8, 9, 10, 11), atol=2e-3, rtol=1e-2)
