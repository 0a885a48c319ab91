"""Cases of com.microsoft operators of dense layers: mixtures of experts, 4-bit products, normalised embeddings, small matrices."""
import numpy as np


def cases(writer, rng):
    experts(writer, rng)
    quantised_experts(writer, rng)
    bnb4(writer, rng)
    embeddings(writer, rng)
    matrices(writer, rng)
    fused(writer, rng)
    diffusion(writer, rng)
    older_forms(writer, rng)


def floats(rng, *shape, kind=np.float32):
    return rng.standard_normal(shape).astype(kind)


def experts(writer, rng):
    hidden, inner, count = 32, 48, 4
    for shape in ((5, hidden), (2, 3, hidden)):
        tokens = int(np.prod(shape[:-1]))
        for activation in ("relu", "gelu", "silu", "identity"):
            for k, normalise in ((1, 0), (2, 0), (2, 1), (4, 1)):
                x, router = floats(rng, *shape), floats(rng, tokens, count)
                fc1, b1 = floats(rng, count, inner, hidden) / 6, floats(rng, count, inner)
                fc2, b2 = floats(rng, count, hidden, inner) / 6, floats(rng, count, hidden)
                biased = k != 4
                writer.add(f"MoE_{activation}_{k}_{normalise}_{len(shape)}", "MoE",
                           [x, router, fc1, b1 if biased else None, fc2, b2 if biased else None],
                           {"k": k, "normalize_routing_weights": normalise, "activation_type": activation}, constants=(2, 4),
                           atol=2e-3 if activation == "gelu" else 5e-5)
    fc1, b1 = floats(rng, count, 2 * inner, hidden) / 6, floats(rng, count, 2 * inner)
    x, router = floats(rng, 6, hidden), floats(rng, 6, count)
    for label, attributes in (
        ("plain", {}), ("alpha", {"activation_alpha": 1.702, "activation_beta": 1.0}), ("limit", {"swiglu_limit": 0.7})):
        writer.add(f"MoE_swiglu_{label}", "MoE", [x, router, fc1, b1, floats(rng, count, hidden, inner) / 6, None],
                   {"k": 2, "normalize_routing_weights": 1, "activation_type": "swiglu", "swiglu_fusion": 1, **attributes}, atol=5e-5)


def packed(codes, bits):
    """Codes along the last axis as bytes, lowest bits first."""
    per = 8 // bits
    padded = np.pad(codes, [(0, 0)] * (codes.ndim - 1) + [(0, -codes.shape[-1] % per)])
    parts = padded.reshape(*padded.shape[:-1], -1, per).astype(np.uint32)
    return (parts << (np.arange(per, dtype=np.uint32) * bits)).sum(-1).astype(np.uint8)


def quantised_experts(writer, rng):
    hidden, inner, count, tokens = 64, 32, 4, 5
    for bits in (4, 8):
        for block in (0, 16, 32):
            if bits == 8 and block:
                continue  # ONNX Runtime quantises the activations there
            for zeros in (False, True):
                for activation in ("silu", "swiglu"):
                    fused = 2 if activation == "swiglu" else 1

                    def weights(outputs, inputs):
                        codes = packed(rng.integers(0, 1 << bits, (count, outputs, inputs)), bits)
                        blocks = (inputs // block,) if block else ()
                        scales = (rng.random((count, outputs, *blocks)) * 0.02 + 0.005).astype(np.float32)
                        middle = rng.integers((1 << bits - 1) - 2, (1 << bits - 1) + 3, (count, outputs, *blocks))
                        return codes, scales, packed(middle, bits) if zeros else None

                    w1, s1, z1 = weights(fused * inner, hidden)
                    w2, s2, z2 = weights(hidden, inner)
                    attributes = {"k": 2, "normalize_routing_weights": 1, "activation_type": activation, "expert_weight_bits": bits}
                    if block:
                        attributes["block_size"] = block
                    if fused == 2:
                        attributes.update(swiglu_fusion=1, activation_alpha=1.702, activation_beta=1.0, swiglu_limit=2.0)
                    inputs = [floats(rng, tokens, hidden), floats(rng, tokens, count), w1, s1, floats(rng, count, fused * inner), w2, s2,
                              floats(rng, count, hidden), None, None, None, z1, z2]
                    writer.add(f"QMoE_{bits}_{block}_{zeros}_{activation}", "QMoE", inputs if zeros else inputs[:8], attributes,
                               constants=(2, 3, 5, 6, 11, 12), rtol=2e-3, atol=2e-3)
    # Two bits, three projections, weights of their own for the mixture: no CPU kernel, so from the schema's text.
    x, router, mixture = floats(rng, tokens, hidden), floats(rng, tokens, count), rng.random((tokens, count)).astype(np.float32)
    codes = [rng.integers(0, 4, (count, o, i)) for o, i in ((inner, hidden), (hidden, inner), (inner, hidden))]
    scales = [(rng.random(c.shape[:2]) * 0.1 + 0.02).astype(np.float32) for c in codes]
    w1, w2, w3 = ((c - 2.0) * s[..., None] for c, s in zip(codes, scales))
    want = np.zeros((tokens, hidden))
    for t in range(tokens):
        chosen = np.argsort(-router[t])[:2]
        for e in chosen:
            gate = w1[e] @ x[t]
            want[t] += mixture[t, e] / mixture[t, chosen].sum() * (w2[e] @ (gate / (1 + np.exp(-gate)) * (w3[e] @ x[t])))
    inputs = [x, router]
    for c, s in zip(codes, scales):
        inputs += [packed(c, 2), s, None]
    writer.add("QMoE_2_three", "QMoE", inputs + [None, None, None, mixture],
               {"k": 2, "normalize_routing_weights": 1, "activation_type": "silu", "expert_weight_bits": 2},
               want=[want.astype(np.float32)], atol=1e-4)


def bnb4(writer, rng):
    for kind in (0, 1):
        for n, k, block in ((7, 32, 16), (5, 40, 32), (70, 64, 64), (3, 19, 16)):
            codes = rng.integers(0, 256, (n * k + 1) // 2).astype(np.uint8)
            scales = (rng.random((n * k + block - 1) // block) + 0.2).astype(np.float32)
            writer.add(f"MatMulBnb4_{kind}_{n}_{k}", "MatMulBnb4", [floats(rng, 2, 3, k), codes, scales],
                       {"N": n, "K": k, "block_size": block, "quant_type": kind}, constants=(1, 2), atol=1e-4)


def embeddings(writer, rng):
    batch, length, size = 2, 5, 8
    ids = rng.integers(0, 11, (batch, length)).astype(np.int32)
    segments = rng.integers(0, 2, (batch, length)).astype(np.int32)
    mask = np.array([[1, 1, 1, 0, 0], [1, 1, 1, 1, 1]], np.int32)
    positions = rng.integers(0, 9, (batch, length)).astype(np.int32)
    tables = [floats(rng, 11, size), floats(rng, 9, size), floats(rng, 2, size), floats(rng, size), floats(rng, size)]
    for label, inputs, outputs in (
        ("all", [ids, segments, *tables, mask, positions], 3),
        ("one_position", [ids, segments, *tables, mask, positions[:1]], 3),
        ("no_mask", [ids, segments, *tables], 2),
        ("no_segments", [ids, None, *tables[:2], None, *tables[3:], mask], [True, True, True]),
        ("sum", [ids, None, *tables[:2], None, *tables[3:]], [True, False, True])):
        writer.add(f"EmbedLayerNormalization_{label}", "EmbedLayerNormalization", inputs, {"epsilon": 1e-5}, outputs)
    f = np.float32
    for kind in (np.uint8, np.int8):
        info = np.iinfo(kind)
        quantised = [rng.integers(info.min, info.max + 1, t.shape).astype(kind) for t in tables]
        scales = [f(0.01 * (k + 1)) for k in range(5)]
        zeros = [kind(k + 3) for k in range(5)]
        writer.add(f"QEmbedLayerNormalization_{np.dtype(kind).name}", "QEmbedLayerNormalization",
                   [ids, segments, *quantised, mask, *scales, *zeros], {"epsilon": 1e-5}, 2)


def matrices(writer, rng):
    for kind in (np.float32, np.float64):
        name = np.dtype(kind).name
        for shape in ((3, 3), (2, 3, 5, 5), (4, 1, 1)):
            writer.add(f"Inverse_{name}_{len(shape)}", "Inverse", [floats(rng, *shape, kind=kind)], atol=1e-4, rtol=2e-3)
        for metric in ("euclidean", "sqeuclidean"):
            writer.add(f"CDist_{name}_{metric}", "CDist", [floats(rng, 6, 7, kind=kind), floats(rng, 4, 7, kind=kind)],
                       {"metric": metric}, atol=1e-4)


def fused(writer, rng):
    image, kernel = floats(rng, 1, 2, 6, 5), floats(rng, 3, 2, 3, 3)
    a, b, c = floats(rng, 4, 6), floats(rng, 6, 5), floats(rng, 5)
    for activation, parameters in (
        ("Relu", []), ("Sigmoid", []), ("Tanh", []), ("LeakyRelu", [0.3]), ("Clip", [-0.5, 0.7]), ("HardSigmoid", [0.3, 0.4])):
        writer.add(f"FusedConv_{activation}", "FusedConv", [image, kernel, floats(rng, 3)],
                   {"activation": activation, "pads": [1, 1, 1, 1], **({"activation_params": parameters} if parameters else {})}, atol=1e-4)
        if activation != "Clip":
            named = dict(zip(("activation_alpha", "activation_beta"), parameters))
            writer.add(f"FusedGemm_{activation}", "FusedGemm", [a, b, c], {"activation": activation, "alpha": 0.5, **named}, atol=1e-4)


def older_forms(writer, rng):
    """Operators that the default domain took over later."""
    x = floats(rng, 2, 4, 5)
    for upper in (0, 1):
        for k in (None, np.array(1), np.array(-2)):
            writer.add(f"Trilu_{upper}_{k}", "Trilu", [x] if k is None else [x, k], {"upper": upper})
    for name, indices in (("slices", [[0, 1], [1, 3]]), ("elements", [[0, 1, 2], [1, 3, 4]])):
        writer.add(f"GatherND_{name}", "GatherND", [x, np.array(indices)])
    pads = np.array([0, 1, 2, 0, 0, 1])
    for mode in ("constant", "reflect", "edge"):
        writer.add(f"Pad_{mode}", "Pad", [x, pads, np.float32(2.5)] if mode == "constant" else [x, pads], {"mode": mode})


def diffusion(writer, rng):
    """No CPU kernels: from the schemas' text."""
    from math import erf
    x, skip, bias = floats(rng, 2, 3, 8), floats(rng, 2, 3, 8), floats(rng, 8)
    writer.add("BiasAdd", "BiasAdd", [x, bias, skip], want=[x + bias + skip])
    left, right = np.split(x + bias, 2, 2)
    gelu = 0.5 * right * (1 + np.vectorize(erf)(right / np.sqrt(2)))
    writer.add("BiasSplitGelu", "BiasSplitGelu", [x, bias], want=[(left * gelu).astype(np.float32)])
    image, gamma, beta = floats(rng, 2, 3, 4, 6), floats(rng, 6), floats(rng, 6)

    def normalised(image, silu):
        groups = image.reshape(2, 12, 2, 3)
        scaled = (groups - groups.mean((1, 3), keepdims=True)) / np.sqrt(groups.var((1, 3), keepdims=True) + 1e-4)
        result = scaled.reshape(image.shape) * gamma + beta
        return (result / (1 + np.exp(-result)) if silu else result).astype(np.float32)

    for silu in (0, 1):
        attributes = {"groups": 2, "epsilon": 1e-4, "activation": silu}
        writer.add(f"GroupNorm_{silu}", "GroupNorm", [image, gamma, beta], attributes, want=[normalised(image, silu)])
        writer.add(f"GroupNorm_first_{silu}", "GroupNorm", [image.transpose(0, 3, 1, 2).copy(), gamma, beta],
                   {**attributes, "channels_last": 0}, want=[normalised(image, silu).transpose(0, 3, 1, 2).copy()])
        for shape in ((2, 3, 4, 6), (2, 1, 1, 6), (2, 6)):
            added = floats(rng, *shape)
            total = image + bias[:6] + (added if added.ndim == 4 else added.reshape(2, 1, 1, 6))
            writer.add(f"SkipGroupNorm_{len(shape)}_{shape[1]}_{silu}", "SkipGroupNorm", [image, gamma, beta, added, bias[:6]], attributes, 2,
                       want=[normalised(total, silu), total])
