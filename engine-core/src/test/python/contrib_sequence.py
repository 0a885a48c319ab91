"""Cases of com.microsoft operators of recurrent and decoding models."""
import numpy as np


def cases(writer, rng):
    delta_net(writer, rng)
    linear_attention(writer, rng)
    causal_convolution(writer, rng)
    gates(writer, rng)
    decoding(writer, rng)
    positions(writer, rng)
    tokens(writer)


def floats(rng, *shape, kind=np.float32):
    return rng.standard_normal(shape).astype(kind)


def delta_net(writer, rng):
    tokens, heads, values, size, width = 8, 2, 4, 4, 6
    q, k, v = floats(rng, tokens, heads, size), floats(rng, tokens, heads, size), floats(rng, tokens, values, width)
    state, offsets = floats(rng, 2, values, width, size), np.array([0, 3, 8], np.int32)
    decay, beta = -rng.random((tokens, values)).astype(np.float32), rng.random((tokens, values)).astype(np.float32)
    wide = -rng.random((tokens, values, size)).astype(np.float32)
    log, bias = floats(rng, values), floats(rng, values)
    unit = {"qk_l2_norm": 1}
    for rule in ("linear", "gated", "delta", "gated_delta"):
        gated, delta = rule.startswith("gated"), rule.endswith("delta")
        writer.add(f"GatedDeltaNet_{rule}", "GatedDeltaNet",
                   [q, k, v, offsets, decay if gated else None, beta if delta else None, state], {"update_rule": rule, **unit}, 2,
                   atol=1e-4)
    for label, inputs, attributes in (
        ("per_key", [q, k, v, offsets, wide, beta, state], {}),
        ("uniform", [q, k, v, None, decay, beta, state], {"scale": 0.3}),
        ("no_state", [q, k, v, offsets, decay, beta], {}),
        ("softplus", [q, k, v, offsets, decay, beta, state, log, bias], {"gate_activation": "softplus", "beta_activation": "sigmoid"}),
        ("sigmoid", [q, k, v, offsets, wide, beta, state, log, floats(rng, values, size)],
         {"gate_activation": "sigmoid", "gate_lower_bound": -3.0}),
        ("four_axes", [q.reshape(2, 4, heads, size), k.reshape(2, 4, heads, size), v.reshape(2, 4, values, width), None,
                       decay.reshape(2, 4, values), beta.reshape(2, 4, values), state], {}),
        ("packed", [np.concatenate([a.reshape(tokens, -1) for a in (q, k, v)], 1), None, None, offsets, decay, beta, state], {})):
        writer.add(f"GatedDeltaNet_{label}", "GatedDeltaNet", inputs, {**unit, **attributes}, 2, atol=1e-4)
    # Nothing is promised about slots that are not captured, so all are: 3 of the 3 and 5 tokens.
    for label, gate in (("narrow", decay), ("wide", wide)):
        writer.add(f"GatedDeltaNet_captured_{label}", "GatedDeltaNet",
                   [q, k, v, offsets, gate, beta, state, None, None, np.array([3, 3], np.int32)],
                   {**unit, "state_update_capacity": 3}, 3, atol=1e-4)


def linear_attention(writer, rng):
    batch, tokens, size, width = 2, 5, 4, 6
    for label, queries, keys, states in (("equal", 2, 2, 2), ("grouped", 4, 2, 2), ("inverse", 2, 4, 4), ("shared_keys", 2, 2, 4)):
        q, k = floats(rng, batch, tokens, queries * size), floats(rng, batch, tokens, keys * size) / 2
        v, state = floats(rng, batch, tokens, states * width), floats(rng, batch, states, size, width)
        decay, beta = -rng.random((batch, tokens, states)).astype(np.float32), rng.random((batch, tokens, states)).astype(np.float32)
        for rule in ("linear", "gated", "delta", "gated_delta"):
            gated, delta = rule.startswith("gated"), rule.endswith("delta")
            inputs = [q, k, v, state, decay if gated else None, beta if delta else None]
            writer.add(f"LinearAttention_{label}_{rule}", "LinearAttention", inputs,
                       {"q_num_heads": queries, "kv_num_heads": states, "update_rule": rule}, 2, atol=1e-4)
    wide = -rng.random((batch, tokens, states * size)).astype(np.float32)
    writer.add("LinearAttention_per_key", "LinearAttention", [q, k, v, None, wide, beta[:, :, :1]],
               {"q_num_heads": queries, "kv_num_heads": states, "scale": 0.3}, 2, atol=1e-4)


def causal_convolution(writer, rng):
    weight, bias = floats(rng, 6, 1, 4), floats(rng, 6)
    for activation in ("none", "silu"):
        for tokens in (1, 2, 9):
            writer.add(f"CausalConvWithState_{activation}_{tokens}", "CausalConvWithState",
                       [floats(rng, 2, 6, tokens), weight, bias, floats(rng, 2, 6, 3)], {"activation": activation}, 2, atol=1e-5)
    writer.add("CausalConvWithState_bare", "CausalConvWithState", [floats(rng, 2, 6, 5), weight], None, 2, atol=1e-5)


def gates(writer, rng):
    for kind in (np.float32, np.float16):
        name = np.dtype(kind).name
        a, b = floats(rng, 2, 3, 5, kind=kind), floats(rng, 2, 3, 5, kind=kind)
        for outputs in (1, 2):
            inputs = [a, floats(rng, 5), -rng.random(5).astype(np.float32), b]
            writer.add(f"LinearAttentionGate_{name}_{outputs}", "LinearAttentionGate", inputs[:outputs + 2 + (outputs == 2)], None, outputs)
        for activation in ("silu", "sigmoid"):
            writer.add(f"GatedRMSNorm_{name}_{activation}", "GatedRMSNorm",
                       [floats(rng, 2, 3, 8, kind=kind), floats(rng, 4, kind=kind), floats(rng, 2, 3, 8, kind=kind)],
                       {"activation": activation, "epsilon": 1e-6})
        writer.add(f"GatedAdd_{name}", "GatedAdd", [a, b, floats(rng, 2, 3, 1, kind=kind)])
        writer.add(f"ScaledSiLU_{name}", "ScaledSiLU", [a], {"alpha": 1.7})


def decoding(writer, rng):
    for size in (1, 2, 3, 4):
        ids = rng.integers(0, 3, (3, 9))
        writer.add(f"NGramRepeatBlock_{size}", "NGramRepeatBlock", [ids, floats(rng, 3, 6)], {"ngram_size": size})
    source = np.array([5, 2, 7, 9, 2, 7, 4, 8, 1], np.int64)
    current = np.array([1, 5, 2], np.int64)
    for index, differs in ((2, 0), (2, 1), (2, 7), (0, 0), (8, 0), (8, 1), (3, 4)):
        predicted = np.append(source[index:], 6)  # one for each token of the source from there on, and the next
        predicted[differs] = 3
        writer.add(f"BifurcationDetector_{index}_{differs}", "BifurcationDetector",
                   [source, current, np.array([index], np.int64), predicted], None, 2)
    for tail in ([2, 7], [9, 2], [2], [6], [8, 1], [7, 4]):
        writer.add(f"BifurcationDetector_suffix_{'_'.join(map(str, tail))}", "BifurcationDetector",
                   [source, np.array([1, *tail], np.int64), np.array([0], np.int64)], None, 2)
    writer.add("BifurcationDetector_sizes", "BifurcationDetector", [source, current, np.array([0], np.int64)],
               {"min_ngram_size": 2, "max_ngram_size": 2}, 2)


def positions(writer, rng):
    cos, sin = floats(rng, 32, 8), floats(rng, 32, 8)
    ids = rng.integers(0, 32, (3, 2, 5))
    for interleaved in (0, 1):
        for layout, section in ((0, [2, 3, 3]), (1, [4, 2, 2])):
            attributes = {"mrope_section": section, "mrope_layout": layout, "interleaved": interleaved}
            writer.add(f"MRotaryEmbedding_3_{interleaved}_{layout}", "MRotaryEmbedding", [floats(rng, 2, 5, 32), ids, cos, sin],
                       {**attributes, "num_heads": 2})
            writer.add(f"MRotaryEmbedding_4_{interleaved}_{layout}", "MRotaryEmbedding", [floats(rng, 2, 3, 5, 16), ids, cos, sin], attributes)
            writer.add(f"MRotaryEmbedding_part_{interleaved}_{layout}", "MRotaryEmbedding", [floats(rng, 2, 5, 48), ids, cos, sin],
                       {**attributes, "num_heads": 2, "rotary_embedding_dim": 16})
    for both in (0, 1):
        table = floats(rng, 16, 3)
        queries, keys = (12, 12)
        want = np.zeros((1, 3, queries, keys), np.float32)
        for i in range(queries):
            for j in range(keys):
                buckets, distance, first = 16, j - i, 0
                if both:
                    buckets //= 2
                    first, distance = (buckets if distance > 0 else 0), abs(distance)
                else:
                    distance = max(-distance, 0)
                exact = buckets // 2
                if distance >= exact:
                    ratio = np.log(np.float32(distance) / exact) / np.log(20 / exact)
                    distance = min(buckets - 1, exact + int(ratio * (buckets - exact)))
                want[0, :, i, j] = table.reshape(3, 16)[:, first + distance]
        writer.add(f"RelativePositionBias_{both}", "RelativePositionBias", [table, np.array([queries]), np.array([keys])],
                   {"max_distance": 20, "is_bidirectional": both}, want=[want])
    batch, length, heads, size, width = 2, 4, 3, 5, 8
    query, bias, relative = floats(rng, batch, length, heads * size), floats(rng, heads * size), floats(rng, 1, heads, length, length)
    weight, gate_bias, factor = floats(rng, size, width), floats(rng, width), floats(rng, 1, heads, 1, 1)
    layer = (query + bias).reshape(batch, length, heads, size).transpose(0, 2, 1, 3)
    halves = 1 / (1 + np.exp(-(layer @ weight + gate_bias).reshape(batch, heads, length, 2, -1).sum(-1)))
    want = (halves[..., :1] * (halves[..., 1:] * factor - 1) + 2) * relative
    writer.add("GatedRelativePositionBias", "GatedRelativePositionBias", [query, bias, relative, weight, gate_bias, factor],
               {"num_heads": heads}, want=[want])


def tokens(writer):
    texts = np.array([["a good day", "bad, bad weather"], ["it's of", "no\twords"]], object)
    for label, attributes in (
        ("expression", {"tokenexp": "[a-z]+", "mincharnum": 2}), ("separators", {"separators": [" ", ","], "mincharnum": 1}),
        ("marks", {"tokenexp": "\\w\\w+", "mark": 1, "mincharnum": 1}), ("characters", {"separators": [""], "mincharnum": 1})):
        attributes = {"mark": 0, "pad_value": "#", **attributes}
        writer.add(f"Tokenizer_{label}", "Tokenizer", [texts], attributes)
        writer.add(f"Tokenizer_{label}_row", "Tokenizer", [texts[0]], attributes)
