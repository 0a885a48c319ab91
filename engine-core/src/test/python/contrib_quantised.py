"""Cases of quantised com.microsoft operators."""
import numpy as np

def bytes_like(rng, kind, *shape):
    info = np.iinfo(kind)
    return rng.integers(info.min, info.max + 1, shape).astype(kind)


def cases(writer, rng):
    elementwise(writer, rng)
    pools(writer, rng)


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
