"""Cases of com.microsoft attention operators with projections, caches of decoders, and packed sequences."""
import numpy as np


def cases(writer, rng):
    projected(writer, rng)
    quantised(writer, rng)
    decoder(writer, rng)
    packed(writer, rng)


def floats(rng, *shape, kind=np.float32):
    return rng.standard_normal(shape).astype(kind)


def projected(writer, rng):
    batch, length, inputs, heads, size, past = 2, 4, 6, 2, 5, 3
    width = heads * size
    x, w, b = floats(rng, batch, length, inputs), floats(rng, inputs, 3 * width) / 3, floats(rng, 3 * width)
    cache = floats(rng, 2, batch, heads, past, size)
    wide = floats(rng, inputs, 2 * width + heads * 3)
    i = np.int32
    masks = {
        "ends": np.array([3, 4], i), "ends_starts": np.array([3, 4, 1, 0], i), "keep": np.array([[1, 1, 0, 1], [0, 1, 1, 1]], i),
        "pairs": rng.integers(0, 2, (batch, length, length)).astype(i)}
    for causal in (0, 1):
        attributes = {"num_heads": heads, "unidirectional": causal}
        for label, mask in masks.items():
            writer.add(f"Attention_{label}_{causal}", "Attention", [x, w, b, mask], attributes, constants=(1, 2), atol=1e-4)
        writer.add(f"Attention_past_{causal}", "Attention", [x, w, b, None, cache], attributes, 2, atol=1e-4)
        long = rng.integers(0, 2, (batch, past + length)).astype(i)
        writer.add(f"Attention_past_mask_{causal}", "Attention", [x, w, b, long, cache], {**attributes, "mask_filter_value": -500.0}, 2, atol=1e-4)
    writer.add("Attention_sizes", "Attention", [x, wide, floats(rng, wide.shape[1])],
               {"num_heads": heads, "qkv_hidden_sizes": [width, width, heads * 3], "scale": 0.4}, atol=1e-4)
    for shape in ((batch, heads, length, length), (1, heads, length, length)):
        writer.add(f"Attention_bias_{shape[0]}", "Attention", [x, w, b, masks["keep"], None, floats(rng, *shape)], {"num_heads": heads},
                   atol=1e-4)


def quantised(writer, rng):
    batch, length, inputs, heads, size, past = 2, 4, 8, 2, 4, 3
    width = heads * size
    f = np.float32
    bias, cache = floats(rng, 3 * width), floats(rng, 2, batch, heads, past, size)
    for kind in (np.uint8, np.int8):
        info = np.iinfo(kind)
        x = rng.integers(0, 256, (batch, length, inputs)).astype(np.uint8)
        w = rng.integers(info.min, info.max + 1, (inputs, 3 * width)).astype(kind)
        name = np.dtype(kind).name
        columns = (rng.random(3 * width) * 0.02 + 0.005).astype(f)
        zeros = rng.integers(-3, 4, 3 * width) + (128 if kind == np.uint8 else 0)
        for label, tail, outputs in (
            ("plain", [f(0.01), f(0.02), None, np.uint8(121), kind(3)], 1),
            ("columns", [f(0.01), columns, None, np.uint8(121), zeros.astype(kind)], 1),
            ("mask", [f(0.01), f(0.02), np.array([2, 4], np.int32), np.uint8(121), kind(3)], 1),
            ("past", [f(0.01), f(0.02), None, np.uint8(121), kind(3), cache], 2)):
            writer.add(f"QAttention_{name}_{label}", "QAttention", [x, w, bias, *tail],
                       {"num_heads": heads, "unidirectional": int(label == "past")}, outputs, constants=(1, 2, 3, 4, 6, 7), atol=1e-4)


def decoder(writer, rng):
    batch, heads, size, past = 2, 3, 8, 5
    width = heads * size
    q, k, v = (floats(rng, batch, 1, width) for _ in range(3))
    keys, values = floats(rng, batch, heads, past, size), floats(rng, batch, heads, past, size)
    mask = np.array([[1, 0, 1, 1, 1, 1], [1, 1, 1, 0, 0, 1]], np.int32)
    bias = floats(rng, 3 * width)
    one = {"num_heads": heads}
    for label, inputs, attributes, outputs in (
        ("cross", [q, keys, values], {}, 1),
        ("cross_mask", [q, keys, values, mask[:, :past]], {"scale": 0.2}, 1),
        ("cross_bias", [q, keys, values, *[None] * 7, bias], {}, 1),
        ("cross_scores", [q, keys, values], {"output_qk": 1}, [True, False, False, True])):
        writer.add(f"DecoderMaskedMultiHeadAttention_{label}", "DecoderMaskedMultiHeadAttention", inputs, {**one, **attributes}, outputs,
                   kind=np.float32, atol=1e-4)
    # Without a shared buffer, or one that is exactly filled, every row of the present is defined.
    room = [np.concatenate([a, floats(rng, batch, heads, 1, size)], 2) for a in (keys, values)]
    length = np.array([past], np.int32)
    for label, inputs, outputs in (
        ("self_mask", [q, k, v, mask, None, *room, length], 3),
        ("self_bias", [q, k, v, None, None, *room, length, None, None, bias], 3),
        ("self_abias", [q, k, v, None, floats(rng, 1, heads, 1, past + 1), *room, length], 3)):
        writer.add(f"DecoderMaskedMultiHeadAttention_{label}", "DecoderMaskedMultiHeadAttention", inputs,
                   {**one, "past_present_share_buffer": 1}, outputs, atol=1e-4)
    shared = {**one, "past_present_share_buffer": 1}
    plain = writer.add("DecoderMaskedMultiHeadAttention_self", "DecoderMaskedMultiHeadAttention",
                       [q, k, v, None, None, *room, length], shared, 3, atol=1e-4)
    # ONNX Runtime fails on packed projections here.
    writer.add("DecoderMaskedMultiHeadAttention_self_packed", "DecoderMaskedMultiHeadAttention",
               [np.concatenate([q, k, v], 2), None, None, None, None, *room, length], shared, 3, want=plain, atol=1e-4)
    beams = np.array([[[0, 1, 1, 0, 1, 0], [1, 1, 0, 0, 0, 1]]], np.int32)
    writer.add("DecoderMaskedMultiHeadAttention_beams", "DecoderMaskedMultiHeadAttention",
               [q, k, v, None, None, *room, length, np.array([2], np.int32), beams], shared, 3, atol=1e-4)


def packed(writer, rng):
    """No CPU kernels: from the schemas' text."""
    heads, size, counts, longest = 2, 4, [3, 1, 5], 5
    width, total = heads * size, sum(counts)
    offsets = np.cumsum([0, *counts]).astype(np.int32)
    places = [b * longest + s for b, n in enumerate(counts) for s in range(n)]
    places += [b * longest + s for b, n in enumerate(counts) for s in range(n, longest)]
    tokens = np.array(places, np.int32).reshape(3, longest)
    q, k, v, bias = floats(rng, total, width), floats(rng, total, width), floats(rng, total, width), floats(rng, 3 * width)
    added = floats(rng, 1, heads, longest, longest)

    def attend(q, k, v, added, scale):
        result = np.zeros_like(v)
        for b, n in enumerate(counts):
            rows = slice(offsets[b], offsets[b + 1])
            for h in range(heads):
                columns = slice(h * size, (h + 1) * size)
                scores = q[rows, columns] @ k[rows, columns].T * scale + added[0, h, :n, :n]
                weights = np.exp(scores - scores.max(1, keepdims=True))
                result[rows, columns] = weights / weights.sum(1, keepdims=True) @ v[rows, columns]
        return result

    plain = attend(q, k, v, np.zeros_like(added), size ** -0.5)
    writer.add("PackedMultiHeadAttention_plain", "PackedMultiHeadAttention", [q, k, v, None, tokens, offsets], {"num_heads": heads}, want=[plain])
    parts = [bias[:width], bias[width:2 * width], bias[2 * width:]]
    biased = attend(q + parts[0], k + parts[1], v + parts[2], added, 0.3)
    writer.add("PackedMultiHeadAttention_bias", "PackedMultiHeadAttention", [q, k, v, bias, tokens, offsets, added],
               {"num_heads": heads, "scale": 0.3}, want=[biased])
    together = np.stack([a.reshape(total, heads, size) for a in (q, k, v)], 2)
    writer.add("PackedMultiHeadAttention_together", "PackedMultiHeadAttention", [together, None, None, None, tokens, offsets],
               {"num_heads": heads}, want=[plain])
    x, w = floats(rng, total, 6), floats(rng, 6, 3 * width)
    projection = x @ w + bias
    want = attend(projection[:, :width], projection[:, width:2 * width], projection[:, 2 * width:], added, size ** -0.5)
    writer.add("PackedAttention", "PackedAttention", [x, w, bias, tokens, offsets, added], {"num_heads": heads}, want=[want])
    padded = floats(rng, 3, longest, 6)
    kept = np.concatenate([padded[b, :n] for b, n in enumerate(counts)])
    writer.add("RemovePadding", "RemovePadding", [padded, np.array(counts, np.int32)], None, 4,
               want=[kept, tokens, offsets, np.array([longest], np.int32)])
    restored = np.zeros_like(padded)
    for b, n in enumerate(counts):
        restored[b, :n] = padded[b, :n]
    writer.add("RestorePadding", "RestorePadding", [kept, tokens], want=[restored])
