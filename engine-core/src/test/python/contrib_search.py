"""Cases of com.microsoft operators that search with a decoder of their own."""
import numpy as np
from onnx import TensorProto, helper, numpy_helper

VOCABULARY, SIZE, PLACES = 13, 4, 24
PAD = VOCABULARY  # has an embedding, and is never generated


def cases(writer, rng):
    i, f = np.int32, np.float32
    prompts = np.array([[3, 5, 2], [PAD, 7, 1]], i)
    tokens = {"eos_token_id": 1, "pad_token_id": PAD, "vocab_size": VOCABULARY}
    one = [np.array([v], i) for v in (12, 1)]
    vocabulary = (rng.random(VOCABULARY) < 0.7).astype(i)
    prefix = (rng.random((2, VOCABULARY)) < 0.7).astype(i)
    mask = np.array([[1, 1, 1], [0, 1, 1]], i)
    for label, inputs, attributes in (
        ("plain", [prompts, *one, np.array([1], f)], {}), ("penalty", [prompts, *one, np.array([1.4], f)], {}),
        ("minimum", [prompts, np.array([14], i), np.array([10], i), np.array([1], f)], {}),
        ("ngram", [prompts, *one, np.array([1], f)], {"no_repeat_ngram_size": 2}),
        ("masks", [prompts, *one, np.array([1], f), vocabulary, prefix, mask], {})):
        for seed in range(3):
            # ONNX Runtime leaves what follows the end of all texts as it finds it in memory.
            writer.add(f"GreedySearch_{label}_{seed}", "GreedySearch", inputs, {**tokens, **attributes, "decoder": decoder(seed)}, mend=padded)
    for label, beams, returned, length, repeated, attributes in (
        ("two", 2, 1, 1.0, 1.0, {}), ("four", 4, 4, 1.0, 1.0, {}), ("long", 4, 2, 2.0, 1.0, {}), ("short", 3, 3, 0.2, 1.0, {}),
        ("penalty", 4, 2, 1.0, 1.3, {}), ("ngram", 4, 2, 1.0, 1.0, {"no_repeat_ngram_size": 2}), ("early", 4, 2, 1.0, 1.0, {"early_stopping": 1}),
        ("one", 1, 1, 1.0, 1.0, {})):
        for seed in range(3):
            writer.add(f"BeamSearch_{label}_{seed}", "BeamSearch",
                       [prompts, np.array([11], i), np.array([1], i), np.array([beams], i), np.array([returned], i), np.array([length], f),
                        np.array([repeated], f)], {**tokens, **attributes, "decoder": decoder(seed)}, 2)


def padded(outputs):
    texts = outputs[0].copy()
    ended = np.flatnonzero((texts == PAD).all(0))
    if len(ended):
        texts[:, ended[0]:] = PAD
    return [texts]


def decoder(seed):
    """One head of attention over everything seen so far, in the form of GPT."""
    rng = np.random.default_rng(seed)

    def weight(name, *shape):
        return numpy_helper.from_array(rng.standard_normal(shape).astype(np.float32), name)

    def const(name, *values):
        return numpy_helper.from_array(np.array(values, np.int64), name)

    node = helper.make_node
    nodes = [
        node("Gather", ["words", "input_ids"], ["w"]), node("Gather", ["places", "position_ids"], ["p"]), node("Add", ["w", "p"], ["x"]),
        node("Unsqueeze", ["x", "axis1"], ["q"]), node("MatMul", ["q", "wk"], ["k"]), node("MatMul", ["q", "wv"], ["v"]),
        node("Unsqueeze", ["k", "axis0"], ["k0"]), node("Unsqueeze", ["v", "axis0"], ["v0"]), node("Concat", ["k0", "v0"], ["kv"], axis=0),
        node("Concat", ["past_0", "kv"], ["present_0"], axis=3), node("Split", ["present_0"], ["ks", "vs"], axis=0, num_outputs=2),
        node("Squeeze", ["ks", "axis0"], ["keys"]), node("Squeeze", ["vs", "axis0"], ["values"]), node("Transpose", ["keys"], ["kt"], perm=[0, 1, 3, 2]),
        node("MatMul", ["q", "kt"], ["s"]), node("Cast", ["attention_mask"], ["m"], to=1), node("Unsqueeze", ["m", "axes12"], ["m4"]),
        node("Sub", ["m4", "one"], ["hidden"]), node("Mul", ["hidden", "much"], ["bias"]), node("Add", ["s", "bias"], ["sb"]),
        node("Softmax", ["sb"], ["a"], axis=-1), node("MatMul", ["a", "values"], ["o"]), node("Squeeze", ["o", "axis1"], ["o3"]),
        node("Add", ["x", "o3"], ["y"]), node("MatMul", ["y", "head"], ["logits"])]
    weights = [weight("words", VOCABULARY + 1, SIZE), weight("places", PLACES, SIZE), weight("wk", SIZE, SIZE), weight("wv", SIZE, SIZE),
               weight("head", SIZE, VOCABULARY), const("axis0", 0), const("axis1", 1), const("axes12", 1, 2),
               numpy_helper.from_array(np.float32(1).reshape(()), "one"), numpy_helper.from_array(np.float32(1e4).reshape(()), "much")]
    info, integer, real = helper.make_tensor_value_info, TensorProto.INT32, TensorProto.FLOAT
    return helper.make_graph(
        nodes, "decoder",
        [info("input_ids", integer, ["b", "s"]), info("position_ids", integer, ["b", "s"]), info("attention_mask", integer, ["b", "t"]),
         info("past_0", real, [2, "b", 1, "p", SIZE])],
        [info("logits", real, ["b", "s", VOCABULARY]), info("present_0", real, [2, "b", 1, "t", SIZE])], weights)
