"""Cases of com.microsoft operators in their rarer input forms: kinds of masks, shared buffers, activations."""
import numpy as np


def cases(writer, rng):
    multi_head(writer, rng)
    attention(writer, rng)
    embedding(writer, rng)
    fused(writer, rng)


def floats(rng, *shape, kind=np.float32):
    return rng.standard_normal(shape).astype(kind)


def multi_head(writer, rng):
    batch, heads, size, queries, keys, past = 2, 2, 4, 3, 5, 2
    width, i = heads * size, np.int32
    q, k, v = floats(rng, batch, queries, width), floats(rng, batch, keys, width), floats(rng, batch, keys, width)
    same = floats(rng, batch, queries, width), floats(rng, batch, queries, width)
    bias = floats(rng, 3 * width)
    old = [floats(rng, batch, heads, past, size) for _ in range(2)]
    one = {"num_heads": heads}
    lengths = np.array([5, 3], i)
    padded = np.array([[1, 1, 1, 1, 1], [1, 1, 0, 1, 0]], i)
    for label, inputs, attributes, outputs in (
        ("mask_lengths", [q, k, v, None, lengths], {}, 1),
        ("mask_filter", [q, k, v, None, padded], {"mask_filter_value": -20.0}, 1),
        ("mask_bias", [q, k, v, bias, padded], {}, 1),
        ("mask_added", [q, k, v, None, padded, floats(rng, 1, heads, queries, keys)], {}, 1),
        ("added_head1", [q, k, v, None, None, floats(rng, batch, 1, queries, keys)], {}, 1),
        ("causal", [q, *same], {"unidirectional": 1}, 1),
        ("scale", [q, k, v], {"scale": 0.2}, 1),
        ("present", [q, *same], {}, [True, True, True]),
        ("past_bias", [q, *same, bias, None, None, *old], {}, 3),
        ("past_mask", [q, *same, None, padded, None, *old], {}, 3),
        ("past_added", [q, *same, None, None, floats(rng, 1, 1, queries, queries + past), *old], {}, 3),
        ("past_causal_scale", [q, *same, None, None, None, *old], {"unidirectional": 1, "scale": 0.3}, 3),
        ("scores", [q, *same], {}, [True, False, False, True]),
        ("one_query", [q[:, :1].copy(), k, v], {}, 1)):
        writer.add(f"MultiHeadAttention_form_{label}", "MultiHeadAttention", inputs, {**one, **attributes}, outputs, kind=np.float32, atol=1e-4)


def attention(writer, rng):
    batch, length, inputs, heads, size = 2, 3, 6, 2, 8
    width = heads * size
    x, w, b = floats(rng, batch, length, inputs), floats(rng, inputs, 3 * width) / 3, floats(rng, 3 * width)
    mask = np.array([[1, 1, 1], [0, 1, 1]], np.int32)
    writer.add("Attention_form_filter", "Attention", [x, w, b, mask], {"num_heads": heads, "mask_filter_value": -5.0}, constants=(1, 2), atol=1e-4)
    writer.add("Attention_form_scale", "Attention", [x, w, b], {"num_heads": heads, "scale": 0.7}, constants=(1, 2), atol=1e-4)


def embedding(writer, rng):
    i = np.int32
    words, places, kinds = floats(rng, 9, 8), floats(rng, 6, 8), floats(rng, 2, 8)
    gamma, beta = floats(rng, 8), floats(rng, 8)
    ids, segments = rng.integers(0, 9, (2, 4)).astype(i), rng.integers(0, 2, (2, 4)).astype(i)
    mask = np.array([[1, 1, 1, 0], [1, 1, 0, 0]], i)
    spots = rng.integers(0, 6, (2, 4)).astype(i)
    for label, inputs, attributes, outputs in (
        ("mask", [ids, segments, words, places, kinds, gamma, beta, mask], {}, 2),
        ("mask_places", [ids, segments, words, places, kinds, gamma, beta, mask, spots], {"epsilon": 1e-3}, 2),
        ("no_segments", [ids, None, words, places, None, gamma, beta, mask], {}, 2),
        ("sum", [ids, segments, words, places, kinds, gamma, beta, None, spots], {}, [True, True, True]),
        ("mask_kind", [ids, segments, words, places, kinds, gamma, beta, mask], {"mask_index_type": 0}, 2)):
        writer.add(f"EmbedLayerNormalization_form_{label}", "EmbedLayerNormalization", inputs, attributes, outputs)


def fused(writer, rng):
    x, w, b = floats(rng, 1, 2, 5, 5), floats(rng, 3, 2, 3, 3), floats(rng, 3)
    for name, parameters in (("Relu", None), ("Tanh", None), ("Sigmoid", None), ("LeakyRelu", [0.2]), ("Clip", [-0.5, 0.7]), ("HardSigmoid", [0.3, 0.4])):
        attributes = {"activation": name, **({"activation_params": parameters} if parameters else {})}
        writer.add(f"FusedConv_form_{name}", "FusedConv", [x, w, b], {**attributes, "kernel_shape": [3, 3], "pads": [1, 1, 1, 1]}, atol=1e-4)
    writer.add("FusedConv_form_group", "FusedConv", [floats(rng, 1, 4, 5, 5), floats(rng, 4, 2, 3, 3), None],
               {"activation": "Relu", "group": 2, "strides": [2, 2]}, atol=1e-4)
    a, c = floats(rng, 3, 4), floats(rng, 4, 2)
    for name, extra in (("Relu", {}), ("Tanh", {}), ("Sigmoid", {}), ("LeakyRelu", {"activation_alpha": 0.3}),
                        ("HardSigmoid", {"activation_alpha": 0.3, "activation_beta": 0.4}),
                        ("Softplus", {}), ("Elu", {"activation_alpha": 0.5}), ("ThresholdedRelu", {"activation_alpha": 0.5}), ("Softsign", {})):
        writer.add(f"FusedGemm_form_{name}", "FusedGemm", [a, c, floats(rng, 2)], {"activation": name, "alpha": 0.5, "beta": 2.0, **extra}, atol=1e-4)
    for kind in (np.float32, np.float16):
        label = np.dtype(kind).name
        y, skip = floats(rng, 2, 3, 8, kind=kind), floats(rng, 2, 3, 8, kind=kind)
        gamma, beta, bias = (floats(rng, 8, kind=kind) for _ in range(3))
        writer.add(f"QuickGelu_form_{label}", "QuickGelu", [y], {"alpha": 1.3}, atol=2e-3)
        writer.add(f"SkipSimplifiedLayerNormalization_form_{label}", "SkipSimplifiedLayerNormalization", [y, skip, gamma, beta],
                   None, [True, False, False, True], atol=4e-3)
        writer.add(f"SkipLayerNormalization_form_{label}", "SkipLayerNormalization", [y, skip, gamma, beta, bias],
                   None, [True, False, False, True], atol=4e-3)
