"""make_hybrid_models.py DIR: a decoder in the manner of Qwen 3.5 (three layers of gated delta rule, one of attention), random
weights of a fixed seed, in several forms, and what NumPy computes for it from the operators' definitions in float64.

    ops, ops-f16, ai.onnx       LinearAttention and CausalConvWithState; states named as the model builder names them
    scan                        the same layers written out: Concat, Conv and Slice, and a Scan over the tokens
    planes                      position ids [3, batch, sequence], as decoders that also see images have them
    renamed                     other state names, declared in genai_config.json
    sidecar                     other state names, declared in inference_metadata.yaml
DIR/goldens.json: greedy runs [{"prompt", "new", "margins", "logits"}], logits of every step.
"""
import json
import pathlib
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

VOCABULARY, HIDDEN, INNER, CONTEXT = 96, 32, 48, 256
QUERY_HEADS, HEADS, KEY, VALUE, TAPS = 2, 4, 8, 8, 4
CHANNELS = QUERY_HEADS * KEY + HEADS * KEY + HEADS * VALUE
ATTENTION_HEADS, KV_HEADS, HEAD = 4, 2, 16
LAYERS = ("linear", "linear", "attention", "linear")
EPSILON = 1e-6
MICROSOFT = "com.microsoft"


def weights():
    rng = np.random.default_rng(20260401)

    def matrix(rows, columns, scale=1.0):
        return (rng.standard_normal((rows, columns)) * scale / np.sqrt(rows)).astype(np.float32)

    def norm(size):
        return (1 + 0.2 * rng.standard_normal(size)).astype(np.float32)

    all_weights = {"embedding": matrix(VOCABULARY, HIDDEN, np.sqrt(VOCABULARY)), "norm": norm(HIDDEN), "head": matrix(HIDDEN, VOCABULARY, 3.0)}
    for layer, kind in enumerate(LAYERS):
        own = {"norm": norm(HIDDEN), "post_norm": norm(HIDDEN), "gate": matrix(HIDDEN, INNER), "up": matrix(HIDDEN, INNER),
               "down": matrix(INNER, HIDDEN)}
        if kind == "linear":
            own.update(qkv=matrix(HIDDEN, CHANNELS), z=matrix(HIDDEN, HEADS * VALUE), a=matrix(HIDDEN, HEADS), b=matrix(HIDDEN, HEADS),
                       conv=matrix(CHANNELS, TAPS, 4.0).reshape(CHANNELS, 1, TAPS), dt_bias=norm(HEADS),
                       decay_scale=-np.exp(rng.standard_normal(HEADS) - 2).astype(np.float32), out_norm=norm(VALUE),
                       out=matrix(HEADS * VALUE, HIDDEN))
        else:
            own.update(qkv=matrix(HIDDEN, (ATTENTION_HEADS + 2 * KV_HEADS) * HEAD), out=matrix(ATTENTION_HEADS * HEAD, HIDDEN))
        all_weights.update({f"{layer}.{name}": value for name, value in own.items()})
    angles = np.outer(np.arange(CONTEXT), 1e4 ** (-np.arange(HEAD // 2) / (HEAD / 2)))
    all_weights["cos"], all_weights["sin"] = np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)
    return all_weights


class Reference:
    """The decoder over a whole sequence, without states."""

    def __init__(self, all_weights):
        self.w = {name: value.astype(np.float64) for name, value in all_weights.items()}

    def logits(self, ids):
        x = self.w["embedding"][ids]
        for layer, kind in enumerate(LAYERS):
            own = {name.split(".", 1)[1]: value for name, value in self.w.items() if name.startswith(f"{layer}.")}
            mix = self.linear if kind == "linear" else self.attention
            x = x + mix(own, self.rms(x, own["norm"])) @ own["out"]
            y = self.rms(x, own["post_norm"])
            x = x + (self.silu(y @ own["gate"]) * (y @ own["up"])) @ own["down"]
        return self.rms(x[-1], self.w["norm"]) @ self.w["head"]

    @staticmethod
    def rms(x, scale):
        return x / np.sqrt((x * x).mean(-1, keepdims=True) + EPSILON) * scale

    @staticmethod
    def silu(x):
        return x / (1 + np.exp(-x))

    def linear(self, own, x):
        projected = x @ own["qkv"]
        padded = np.concatenate([np.zeros((TAPS - 1, CHANNELS)), projected])
        mixed = self.silu(sum(padded[k:k + len(x)] * own["conv"][:, 0, k] for k in range(TAPS)))
        q, k, v = np.split(mixed, [QUERY_HEADS * KEY, (QUERY_HEADS + HEADS) * KEY], axis=1)
        q, k, v = q.reshape(-1, QUERY_HEADS, KEY), k.reshape(-1, HEADS, KEY), v.reshape(-1, HEADS, VALUE)
        q, k = (part / np.sqrt((part * part).sum(-1, keepdims=True)) for part in (q, k))
        decay = own["decay_scale"] * np.log1p(np.exp(x @ own["a"] + own["dt_bias"]))
        beta = 1 / (1 + np.exp(-(x @ own["b"])))
        rows = []
        state = np.zeros((HEADS, KEY, VALUE))
        for t in range(len(x)):
            row = []
            for h in range(HEADS):
                state[h] *= np.exp(decay[t, h])
                state[h] += beta[t, h] * np.outer(k[t, h], v[t, h] - k[t, h] @ state[h])
                row.append(q[t, h // (HEADS // QUERY_HEADS)] @ state[h] / np.sqrt(KEY))
            rows.append(row)
        z = (x @ own["z"]).reshape(-1, HEADS, VALUE)
        return (self.rms(np.array(rows), own["out_norm"]) * self.silu(z)).reshape(len(x), -1)

    def attention(self, own, x):
        heads = (x @ own["qkv"]).reshape(len(x), -1, HEAD)
        q, k, v = np.split(heads, [ATTENTION_HEADS, ATTENTION_HEADS + KV_HEADS], axis=1)
        q, k = self.rotated(q), self.rotated(k)
        k, v = (np.repeat(part, ATTENTION_HEADS // KV_HEADS, axis=1) for part in (k, v))
        scores = np.einsum("qhd,khd->hqk", q, k) / np.sqrt(HEAD)
        scores = np.where(np.tril(np.ones((len(x), len(x)))) > 0, scores, -np.inf)
        weights_ = np.exp(scores - scores.max(-1, keepdims=True))
        weights_ /= weights_.sum(-1, keepdims=True)
        return np.einsum("hqk,khd->qhd", weights_, v).reshape(len(x), -1)

    def rotated(self, x):
        cos, sin = self.w["cos"][:len(x), None], self.w["sin"][:len(x), None]
        first, second = np.split(x, 2, axis=-1)
        return np.concatenate([first * cos - second * sin, second * cos + first * sin], -1)


class Builder:
    def __init__(self, all_weights, form, kind):
        self.form, self.kind, self.nodes, self.constants = form, kind, [], {}
        for name, value in all_weights.items():
            self.constant(name, value.astype(kind) if not name.endswith(("dt_bias", "decay_scale")) or form == "scan" else value)
        self.elem = helper.np_dtype_to_tensor_dtype(np.dtype(kind))
        self.inputs = [self.port("input_ids", TensorProto.INT64, "b", "s"), self.port("attention_mask", TensorProto.INT64, "b", "t")]
        if form == "planes":
            self.inputs.append(self.port("position_ids", TensorProto.INT64, 3, "b", "s"))
        self.outputs = [self.port("logits", self.elem, "b", "s", VOCABULARY)]

    @staticmethod
    def port(name, kind, *shape):
        return helper.make_tensor_value_info(name, kind, shape)

    def constant(self, name, value):
        self.constants[name] = numpy_helper.from_array(np.asarray(value), name)
        return name

    def ints(self, *values):
        return self.constant("ints" + "_".join(map(str, values)), np.array(values, np.int64))

    def node(self, op, inputs, output, domain="", **attributes):
        outputs = output if isinstance(output, list) else [output]
        self.nodes.append(helper.make_node(op, inputs, outputs, name=outputs[0], domain=domain, **attributes))
        return outputs[0]

    def state(self, layer, what, shape, past, present):
        names = STATE_NAMES[self.form](layer, what)
        self.inputs.append(self.port(names[0], self.elem, "b", *[past if n == "" else n for n in shape]))
        self.outputs.append(self.port(names[1], self.elem, "b", *[present if n == "" else n for n in shape]))
        return names

    def rms(self, x, scale, output):
        return self.node("SimplifiedLayerNormalization", [x, scale], output, axis=-1, epsilon=EPSILON, stash_type=1)

    def build(self):
        one, second = self.ints(1), self.constant("second", np.array(1, np.int64))
        self.node("ReduceSum", ["attention_mask", one], "row_sum", keepdims=0)
        self.node("Sub", ["row_sum", one], "before")
        self.node("Cast", ["before"], "seqlens_k", to=TensorProto.INT32)
        self.node("Shape", ["attention_mask"], "mask_shape")
        self.node("Gather", ["mask_shape", second], "width")
        self.node("Cast", ["width"], "total", to=TensorProto.INT32)
        x = self.node("Gather", ["embedding", "input_ids"], "embedded")
        for layer, kind in enumerate(LAYERS):
            name = f"{layer}."
            normed = self.rms(x, name + "norm", name + "normed")
            mixed = (self.attention if kind == "attention" else self.linear_scan if self.form == "scan" else self.linear)(layer, normed)
            x = self.node("Add", [x, self.node("MatMul", [mixed, name + "out"], name + "mixed_out")], name + "x")
            y = self.rms(x, name + "post_norm", name + "y")
            gate = self.node("MatMul", [y, name + "gate"], name + "gated")
            gate = self.node("Mul", [gate, self.node("Sigmoid", [gate], name + "sigmoid")], name + "silu")
            gate = self.node("Mul", [gate, self.node("MatMul", [y, name + "up"], name + "upped")], name + "inner")
            x = self.node("Add", [x, self.node("MatMul", [gate, name + "down"], name + "downed")], name + "out_x")
        self.node("MatMul", [self.rms(x, "norm", "normed"), "head"], "logits")
        graph = helper.make_graph(self.nodes, "hybrid", self.inputs, self.outputs, list(self.constants.values()))
        opset = 27 if self.form == "ai.onnx" else 21
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset), helper.make_opsetid(MICROSOFT, 1)], ir_version=10)

    def attention(self, layer, x):
        name = f"{layer}."
        qkv = self.node("MatMul", [x, name + "qkv"], name + "projected")
        shape = (KV_HEADS, "", HEAD)
        past_key, present_key = self.state(layer, "key", shape, "past", "t")
        past_value, present_value = self.state(layer, "value", shape, "past", "t")
        if self.form == "planes":
            width = KV_HEADS * HEAD
            self.node("Split", [qkv, self.ints(ATTENTION_HEADS * HEAD, width, width)], [name + part for part in "qkv"], axis=-1)
            q, k = (self.node("MRotaryEmbedding", [name + part, "position_ids", "cos", "sin"], name + part + "_turned", domain=MICROSOFT,
                              num_heads=heads, mrope_section=[3, 3, 2], mrope_layout=1)
                    for part, heads in (("q", ATTENTION_HEADS), ("k", KV_HEADS)))
            return self.node("GroupQueryAttention", [q, k, name + "v", past_key, past_value, "seqlens_k", "total"],
                             [name + "attended", present_key, present_value], domain=MICROSOFT, num_heads=ATTENTION_HEADS,
                             kv_num_heads=KV_HEADS)
        return self.node("GroupQueryAttention", [qkv, "", "", past_key, past_value, "seqlens_k", "total", "cos", "sin"],
                         [name + "attended", present_key, present_value], domain=MICROSOFT, num_heads=ATTENTION_HEADS,
                         kv_num_heads=KV_HEADS, do_rotary=1)

    def projections(self, layer, x):
        name = f"{layer}."
        qkv = self.node("MatMul", [x, name + "qkv"], name + "projected")
        turned = self.node("Transpose", [qkv], name + "turned", perm=[0, 2, 1])
        return turned, *(self.node("MatMul", [x, name + part], name + part + "_projected") for part in "zab")

    def normed_parts(self, layer, mixed):
        name = f"{layer}."
        self.node("Split", [mixed, self.ints(QUERY_HEADS * KEY, HEADS * KEY, HEADS * VALUE)], [name + part for part in "qkv"], axis=-1)
        for part in "qk":
            heads = self.node("Reshape", [name + part, self.ints(0, 0, -1, KEY)], name + part + "_heads")
            self.node("LpNormalization", [heads], name + part + "_unit", axis=-1, p=2)

    def linear(self, layer, x):
        name, domain = f"{layer}.", "" if self.form == "ai.onnx" else MICROSOFT
        turned, z, a, b = self.projections(layer, x)
        past, present = self.state(layer, "conv", (CHANNELS, TAPS - 1), "", "")
        conv = self.node("CausalConvWithState", [turned, name + "conv", "", past], [name + "convolved", present], domain=domain,
                         activation="silu")
        self.normed_parts(layer, self.node("Transpose", [conv], name + "mixed", perm=[0, 2, 1]))
        q, k = (self.node("Reshape", [name + part + "_unit", self.ints(0, 0, -1)], name + part + "_flat") for part in "qk")
        self.node("LinearAttentionGate", [a, name + "dt_bias", name + "decay_scale", b], [name + "decay", name + "beta"], domain=MICROSOFT)
        past, present = self.state(layer, "recurrent", (HEADS, KEY, VALUE), "", "")
        self.node("LinearAttention", [q, k, name + "v", past, name + "decay", name + "beta"], [name + "recalled", present], domain=domain,
                  q_num_heads=QUERY_HEADS, kv_num_heads=HEADS, update_rule="gated_delta", scale=0.0)
        return self.node("GatedRMSNorm", [name + "recalled", name + "out_norm", z], name + "gated_norm", domain=MICROSOFT, epsilon=EPSILON)

    def linear_scan(self, layer, x):
        name = f"{layer}."
        turned, z, a, b = self.projections(layer, x)
        past, present = self.state(layer, "conv", (CHANNELS, TAPS - 1), "", "")
        joined = self.node("Concat", [past, turned], name + "joined", axis=2)
        self.node("Slice", [joined, self.ints(1 - TAPS), self.ints(2 ** 62), self.ints(2)], present)
        conv = self.node("Conv", [joined, name + "conv"], name + "convolved", group=CHANNELS)
        conv = self.node("Mul", [conv, self.node("Sigmoid", [conv], name + "conv_sigmoid")], name + "conv_silu")
        self.normed_parts(layer, self.node("Transpose", [conv], name + "mixed", perm=[0, 2, 1]))
        v = self.node("Reshape", [name + "v", self.ints(0, 0, HEADS, VALUE)], name + "v_heads")
        # Every query head serves several states.
        wide = self.node("Unsqueeze", [name + "q_unit", self.ints(3)], name + "q_group")
        wide = self.node("Expand", [wide, self.ints(1, 1, 1, HEADS // QUERY_HEADS, 1)], name + "q_expanded")
        q = self.node("Reshape", [wide, self.ints(0, 0, HEADS, KEY)], name + "q_wide")
        shifted = self.node("Add", [a, name + "dt_bias"], name + "shifted")
        decay = self.node("Mul", [self.node("Softplus", [shifted], name + "softplus"), name + "decay_scale"], name + "decay")
        beta = self.node("Sigmoid", [b], name + "beta")
        past, present = self.state(layer, "recurrent", (HEADS, KEY, VALUE), "", "")
        body = self.body()
        parts = [self.node("Transpose", [part], part + "_first", perm=[1, 0, *range(2, rank)])
                 for part, rank in ((q, 4), (name + "k_unit", 4), (v, 4), (decay, 3), (beta, 3))]
        self.node("Scan", [past, *parts], [present, name + "recalled_first"], body=body, num_scan_inputs=5)
        recalled = self.node("Transpose", [name + "recalled_first"], name + "recalled", perm=[1, 0, 2, 3])
        square = self.node("Mul", [recalled, recalled], name + "square")
        mean = self.node("ReduceMean", [square, self.ints(-1)], name + "mean", keepdims=1)
        root = self.node("Sqrt", [self.node("Add", [mean, self.constant("epsilon", self.kind(EPSILON))], name + "mean_plus")], name + "root")
        unit = self.node("Mul", [self.node("Div", [recalled, root], name + "divided"), name + "out_norm"], name + "unit")
        z = self.node("Reshape", [z, self.ints(0, 0, HEADS, VALUE)], name + "z_heads")
        gate = self.node("Mul", [z, self.node("Sigmoid", [z], name + "z_sigmoid")], name + "z_silu")
        return self.node("Reshape", [self.node("Mul", [unit, gate], name + "gated_norm"), self.ints(0, 0, -1)], name + "gated_flat")

    def body(self):
        outer = self.nodes
        self.nodes = []
        self.constant("scale", self.kind(1 / np.sqrt(KEY)))
        last, middle = self.ints(-1), self.ints(-2)
        for part in ("decay_t", "beta_t"):
            self.node("Unsqueeze", [self.node("Unsqueeze", [part, last], part + "_1"), last], part + "_2")
        faded = self.node("Mul", ["state", self.node("Exp", ["decay_t_2"], "fade")], "faded")
        key = self.node("Unsqueeze", ["k_t", middle], "key_row")
        known = self.node("MatMul", [key, faded], "known")
        missing = self.node("Sub", [self.node("Unsqueeze", ["v_t", middle], "value_row"), known], "missing")
        missing = self.node("Mul", [missing, "beta_t_2"], "written")
        column = self.node("Unsqueeze", ["k_t", last], "key_column")
        self.node("Add", [faded, self.node("MatMul", [column, missing], "outer")], "state_out")
        answer = self.node("MatMul", [self.node("Unsqueeze", ["q_t", middle], "query_row"), "state_out"], "answer")
        answer = self.node("Mul", [answer, "scale"], "scaled")
        self.node("Squeeze", [answer, middle], "o_t")
        nodes, self.nodes = self.nodes, outer
        ports = [self.port("state", self.elem, "b", HEADS, KEY, VALUE)]
        ports += [self.port(part + "_t", self.elem, "b", HEADS, size) for part, size in (("q", KEY), ("k", KEY), ("v", VALUE))]
        ports += [self.port(part + "_t", self.elem, "b", HEADS) for part in ("decay", "beta")]
        return helper.make_graph(nodes, "step", ports, [self.port("state_out", self.elem, "b", HEADS, KEY, VALUE),
                                                        self.port("o_t", self.elem, "b", HEADS, VALUE)])


def builder_names(layer, what):
    past = "past_key_values" if what in ("key", "value") else "past"
    return f"{past}.{layer}.{what}", f"present.{layer}.{what}"


def other_names(layer, what):
    return f"cache_{what}_in_{layer}", f"cache_{what}_out_{layer}"


STATE_NAMES = {"ops": builder_names, "ai.onnx": builder_names, "scan": builder_names, "planes": builder_names, "renamed": other_names,
               "sidecar": other_names}


def genai_config(names):
    inputs = {"input_ids": "input_ids", "attention_mask": "attention_mask"}
    outputs = {"logits": "logits"}
    if names is other_names:
        for what in ("key", "value", "conv", "recurrent"):
            inputs[f"past_{what}_names"], outputs[f"present_{what}_names"] = f"cache_{what}_in_%d", f"cache_{what}_out_%d"
    return {"model": {"type": "qwen3_5", "context_length": CONTEXT, "vocab_size": VOCABULARY, "eos_token_id": 2, "decoder": {
        "filename": "model.onnx", "head_size": HEAD, "hidden_size": HIDDEN, "num_attention_heads": ATTENTION_HEADS,
        "num_hidden_layers": len(LAYERS), "num_key_value_heads": KV_HEADS, "inputs": inputs, "outputs": outputs}}}


def sidecar():
    pairs = [other_names(layer, what) for layer, kind in enumerate(LAYERS) if kind == "linear" for what in ("conv", "recurrent")]
    cache = [other_names(layer, what) for layer, kind in enumerate(LAYERS) if kind == "attention" for what in ("key", "value")]
    lines = ["schema_version: v1", "model:", "  io:", "    token_input: input_ids", "    attention_mask_input: attention_mask",
             "    logits_output: logits", f"    kv_inputs: [{', '.join(past for past, _ in cache)}]",
             f"    kv_outputs: [{', '.join(present for _, present in cache)}]", "    state_pairs:"]
    for past, present in pairs:
        lines += [f"      - input: {past}", f"        output: {present}"]
    return "\n".join(lines) + "\n"


def goldens(reference):
    rng = np.random.default_rng(3)
    runs = []
    for length in (1, 2, 3, 5, 17, 40):
        prompt = [int(i) for i in rng.integers(3, VOCABULARY, length)]
        ids, margins, logits = list(prompt), [], []
        for _ in range(12):
            row = reference.logits(ids)
            best = np.sort(row)[::-1]
            margins.append(float(best[0] - best[1]))
            logits.append([round(float(value), 6) for value in row])
            ids.append(int(row.argmax()))
        runs.append({"prompt": prompt, "new": ids[length:], "margins": margins, "logits": logits})
    return runs


def main():
    root = pathlib.Path(sys.argv[1])
    all_weights = weights()
    for name in (*STATE_NAMES, "ops-f16"):
        form, _, half = name.partition("-")
        kind = np.float16 if half else np.float32
        folder = root / name
        folder.mkdir(parents=True)
        onnx.save(Builder(all_weights, form, kind).build(), folder / "model.onnx")
        if form == "sidecar":
            (folder / "inference_metadata.yaml").write_text(sidecar())
        else:
            (folder / "genai_config.json").write_text(json.dumps(genai_config(STATE_NAMES[form])))
    (root / "goldens.json").write_text(json.dumps(goldens(Reference(all_weights))))
    print(root)


if __name__ == "__main__":
    main()
